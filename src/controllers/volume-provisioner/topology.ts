import { SELECTED_NODE } from '../../api/meaning/index.ts';
import type { CSINode, Node, Observed, PersistentVolumeClaim, PersistentVolume } from '../../client/index.ts';
import type { Objects } from '../../kit/index.ts';
import type { Topology } from './volume-driver.ts';

/** Nodes and their CSINodes. */
export interface NodePlaces {
  readonly nodes: Objects<Node>;
  readonly csiNodes: Objects<CSINode>;
}

/** The topology for a claim's volume: that of the selected node, or of all nodes with the driver. */
export function placeFor(
  claim: Observed<PersistentVolumeClaim>,
  driver: string,
  { nodes, csiNodes }: NodePlaces,
): Topology | undefined {
  const selected = claim.metadata.annotations?.[SELECTED_NODE];
  const names = selected === undefined ? csiNodes.list().map(({ metadata }) => metadata.name) : [selected];
  for (const name of names.toSorted()) {
    const keys = csiNodes.get(name)?.spec.drivers.find((each) => each.name === driver)?.topologyKeys ?? [];
    const labels = nodes.get(name)?.metadata.labels ?? {};
    const segments = Object.fromEntries(keys.flatMap((key) => (labels[key] === undefined ? [] : [[key, labels[key]]])));
    if (Object.keys(segments).length > 0) return { segments };
  }
  return undefined;
}

/** The node affinity of a volume with these topologies. */
export function affinityFor(
  places: readonly Topology[],
): NonNullable<NonNullable<PersistentVolume['spec']>['nodeAffinity']> {
  const nodeSelectorTerms = places.map(({ segments }) => ({
    matchExpressions: Object.entries(segments).map(([key, value]) => ({
      key,
      operator: 'In' as const,
      values: [value],
    })),
  }));
  return { required: { nodeSelectorTerms } };
}
