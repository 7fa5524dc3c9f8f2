import type { DaemonSetSpec } from '../../../api/types/apps/v1.d.ts';
import type { Pod as PodObject, PodSpec, Taint } from '../../../api/types/core/v1.d.ts';
import { bindPod, DaemonSet, Node, type Observed, Pod } from '../../../client/index.ts';
import type { ScenarioWorld } from '../../testing/scenarios/index.ts';

type Template = DaemonSetSpec['template'];

const labels = { app: 'log' };

export function template(spec: Partial<PodSpec> = {}): Template {
  return { metadata: { labels }, spec: { containers: [{ name: 'c', image: 'log:1' }], ...spec } };
}

export function daemonSet(spec: Partial<DaemonSetSpec> = {}): DaemonSet {
  return {
    metadata: { name: 'log', annotations: { team: 'x' } },
    spec: { selector: { matchLabels: labels }, template: template(), ...spec },
  };
}

export function rolling(
  maxUnavailable: number | string,
  maxSurge: number | string = 0,
): Pick<DaemonSetSpec, 'updateStrategy'> {
  return { updateStrategy: { type: 'RollingUpdate', rollingUpdate: { maxUnavailable, maxSurge } } };
}

export interface NodeFacts {
  readonly labels?: Record<string, string>;
  readonly taints?: Taint[];
}

/** Creates a node and removes the not-ready taint that the API server adds. */
export async function addNode(
  world: ScenarioWorld,
  name: string,
  { labels: own = {}, taints = [] }: NodeFacts = {},
): Promise<void> {
  await world.create(Node, { metadata: { name, labels: own } });
  await world.change(Node, name, { spec: { taints } });
}

export async function addNodes(world: ScenarioWorld, ...names: readonly string[]): Promise<void> {
  for (const name of names) await addNode(world, name);
}

export function setImage(world: ScenarioWorld, image: string): Promise<void> {
  return world.change(DaemonSet, 'log', { spec: { template: { spec: { containers: [{ name: 'c', image }] } } } });
}

/** The node that a pod is bound or pinned to. */
export function targetOf({ spec }: Observed<PodObject>): string | undefined {
  const required = spec?.affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution;
  return spec?.nodeName ?? required?.nodeSelectorTerms[0]?.matchFields?.[0]?.values?.[0];
}

/** Records which nodes have pods. */
export async function noteNodes(world: ScenarioWorld, label: string): Promise<void> {
  await world.quiet();
  const { items } = await world.pods.list();
  world.note(label, items.map((pod) => targetOf(pod) ?? 'none').toSorted());
}

/** Binds pods to the nodes they are pinned to, as a scheduler would. */
export async function bindAll(world: ScenarioWorld): Promise<void> {
  await world.quiet();
  const { items } = await world.pods.list();
  for (const pod of items)
    if (pod.spec?.nodeName === undefined)
      await bindPod(world.pods, pod.metadata.name, { node: targetOf(pod) ?? '', uid: pod.metadata.uid });
  await world.quiet();
}

/** Finishes the pod on the node, as its kubelet would. */
export async function endPod(world: ScenarioWorld, node: string, phase: 'Failed' | 'Succeeded'): Promise<void> {
  await world.quiet();
  const { items } = await world.pods.list();
  const pod = items.find((each) => targetOf(each) === node && each.metadata.deletionTimestamp === undefined);
  await world.changeStatus(Pod, pod?.metadata.name ?? '', { phase });
}
