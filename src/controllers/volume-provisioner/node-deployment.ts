// One process for each node, for drivers whose volumes are on the node's own disks.
import { anyTerm } from '../../api/meaning/index.ts';
import type { CSINode, Node, Observed, PersistentVolume } from '../../client/index.ts';
import type { NodePlaces } from './topology.ts';

/** The node that a process works for. */
export interface NodeDeployment {
  readonly nodeName: string;
  /** Where the driver says that the node is. */
  readonly segments: Readonly<Record<string, string>>;
  /** Competes with the processes of other nodes for claims that are bound at once; default true. */
  readonly isForImmediateBinding?: boolean;
  /** How long the process waits at most before it takes such a claim, at first; default 20 s. It doubles with each attempt. */
  readonly baseDelayMs?: number;
  /** The longest such time; default 60 s. */
  readonly maxDelayMs?: number;
}

/** Whether a volume can be used on the node; one without a place can be used everywhere. */
export function isReachable({ spec }: Observed<PersistentVolume>, { nodeName, segments }: NodeDeployment): boolean {
  const required = spec?.nodeAffinity?.required;
  return required === undefined || anyTerm(required)(asNode({ nodeName, segments }));
}

/** Nodes as a process knows them that works for one: that one, where the driver says that it is. */
export function placesOf(driver: string, deployment: NodeDeployment): NodePlaces {
  const { nodeName, segments } = deployment;
  const node = asNode(deployment);
  const topologyKeys = Object.keys(segments);
  const csiNode = { metadata: { name: nodeName }, spec: { drivers: [{ name: driver, nodeID: '', topologyKeys }] } };
  return { nodes: only(nodeName, node), csiNodes: only(nodeName, csiNode as unknown as Observed<CSINode>) };
}

function asNode({ nodeName, segments }: NodeDeployment): Observed<Node> {
  return { metadata: { name: nodeName, labels: { ...segments } } } as unknown as Observed<Node>;
}

function only<T>(name: string, object: T): { get(key: string): T | undefined; list(): T[] } {
  return { get: (key) => (key === name ? object : undefined), list: () => [object] };
}
