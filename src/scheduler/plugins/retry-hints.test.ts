import { describe, expect, test } from 'vitest';
import type { Node, Observed, Pod } from '../../client/index.ts';
import { PodInfo } from '../cache/pod-info.ts';
import type { Change, ClusterAction } from '../framework/cluster-event.ts';
import { nodeOf, podOf, sharedContext } from '../testing/objects.ts';
import { builtInPlugins } from './registry.ts';

type Sketch = NonNullable<Parameters<typeof podOf>[0]>;

/** Whether a pod that the plugin rejected is retried after the change. */
function isRetried(plugin: string, waiting: Observed<Pod>, change: Change<Pod> | Change<Node>): boolean {
  const { events = [] } = builtInPlugins.get(plugin)?.({ ...sharedContext(), args: undefined }) ?? {};
  const { old, now } = change;
  const resource = (now ?? old)?.kind === 'Node' ? 'Node' : 'Pod';
  const isUpdate = old !== undefined && now !== undefined;
  const added: ClusterAction = now === undefined ? 'Delete' : 'Add';
  const actions = (list: readonly ClusterAction[]): boolean =>
    isUpdate ? list.some((action) => action.startsWith('Update')) : list.includes(added);
  const interest = events.find((event) => event.resource === resource && actions(event.actions));
  return interest?.isWorthRetry?.(new PodInfo(waiting), change as Change<never>) ?? interest !== undefined;
}

const pod = (sketch: Sketch): Observed<Pod> => podOf({ name: 'other', nodeName: 'n1', ...sketch });
const node = (labels: Record<string, string>, taints: { key: string; effect: 'NoSchedule' }[] = []): Observed<Node> =>
  nodeOf({ labels, taints });
const red = { color: 'red' };
const labelSelector = { matchLabels: red };

describe('PodTopologySpread', () => {
  const constraint = { maxSkew: 1, topologyKey: 'zone', whenUnsatisfiable: 'DoNotSchedule' as const, labelSelector };
  const waiting = podOf({ topologySpreadConstraints: [constraint] });
  const tolerant = podOf({ topologySpreadConstraints: [{ ...constraint, nodeTaintsPolicy: 'Honor' }] });
  const tolerations = [{ operator: 'Exists' as const }];

  test.each<[string, Change<Pod> | Change<Node>, boolean]>([
    ['a pod that counts has come', { now: pod({ labels: red }) }, true],
    ['another pod has come', { now: pod({}) }, false],
    ['a pod that counts has come without a node', { now: podOf({ name: 'other', labels: red }) }, false],
    ['a pod that counts has gone', { old: pod({ labels: red }) }, true],
    ['a pod counts no longer', { old: pod({ labels: red }), now: pod({}) }, true],
    ['a label has changed that does not matter', { old: pod({}), now: pod({ labels: { a: 'b' } }) }, false],
    ['a node with the label has come', { now: node({ zone: 'a' }) }, true],
    ['a node without the label has come', { now: node({}) }, false],
    ['a node with the label has gone', { old: node({ zone: 'a' }) }, true],
    ['a node has moved', { old: node({ zone: 'a' }), now: node({ zone: 'b' }) }, true],
    ['a node has lost the label', { old: node({ zone: 'a' }), now: node({}) }, true],
    ['a node has another label', { old: node({ zone: 'a' }), now: node({ zone: 'a', b: 'c' }) }, false],
    [
      'a node has lost a taint',
      { old: node({ zone: 'a' }, [{ key: 'k', effect: 'NoSchedule' }]), now: node({ zone: 'a' }) },
      true,
    ],
  ])('%s', (_what, change, expected) => expect(isRetried('PodTopologySpread', waiting, change)).toBe(expected));

  test('more tolerations help when taints are honored', () => {
    const change = (old: Observed<Pod>): Change<Pod> => ({
      old,
      now: { ...old, spec: { ...old.spec, tolerations } } as Observed<Pod>,
    });
    expect(isRetried('PodTopologySpread', tolerant, change(tolerant))).toBe(true);
    expect(isRetried('PodTopologySpread', waiting, change(waiting))).toBe(false);
  });
});

describe('InterPodAffinity', () => {
  const terms = [{ topologyKey: 'zone', labelSelector }];
  const friend = podOf({ affinity: { podAffinity: { requiredDuringSchedulingIgnoredDuringExecution: terms } } });
  const enemy = podOf({ affinity: { podAntiAffinity: { requiredDuringSchedulingIgnoredDuringExecution: terms } } });
  const redPod = podOf({ labels: red });
  const hostile = pod({ affinity: { podAntiAffinity: { requiredDuringSchedulingIgnoredDuringExecution: terms } } });

  test.each<[string, Observed<Pod>, Change<Pod> | Change<Node>, boolean]>([
    ['a wanted pod has come', friend, { now: pod({ labels: red }) }, true],
    ['an unwanted pod has come', enemy, { now: pod({ labels: red }) }, false],
    ['a wanted pod has come without a node', friend, { now: podOf({ name: 'other', labels: red }) }, false],
    ['a wanted pod has gone', friend, { old: pod({ labels: red }) }, false],
    ['an unwanted pod has gone', enemy, { old: pod({ labels: red }) }, true],
    ['a pod that does not want this one has gone', redPod, { old: hostile }, true],
    ['a pod has become wanted', friend, { old: pod({}), now: pod({ labels: red }) }, true],
    ['a pod is unwanted no longer', enemy, { old: pod({ labels: red }), now: pod({}) }, true],
    ['a node with the label has come', friend, { now: node({ zone: 'a' }) }, true],
    ['a node without the label has come', friend, { now: node({}) }, false],
    ['a node has come for a pod that wants to be apart', enemy, { now: node({}) }, true],
    ['a node has moved', friend, { old: node({ zone: 'a' }), now: node({ zone: 'b' }) }, true],
    ['a node has lost the label', enemy, { old: node({ zone: 'a' }), now: node({}) }, true],
    ['a node has got the label', enemy, { old: node({}), now: node({ zone: 'a' }) }, false],
  ])('%s', (_what, waiting, change, expected) => expect(isRetried('InterPodAffinity', waiting, change)).toBe(expected));

  test('new labels of the pod itself help', () => {
    expect(isRetried('InterPodAffinity', enemy, { old: enemy, now: { ...enemy } })).toBe(true);
  });
});

describe('NodeResourcesFit', () => {
  const gpu = 'example.com/gpu';
  const amounts = { cpu: '1', memory: '1Gi', 'ephemeral-storage': '1Gi', [gpu]: '1' };
  const waiting = podOf({ requests: amounts });
  const room = { ...amounts, pods: '1' };
  const withRoom = (changed: Record<string, string>): Observed<Node> =>
    nodeOf({ allocatable: { ...room, ...changed } });
  const taking = (changed: Record<string, string>): Observed<Pod> => pod({ requests: { ...amounts, ...changed } });

  test.each<[string, Change<Pod> | Change<Node>, boolean]>([
    ['a node that has room has come', { now: withRoom({}) }, true],
    ['a node without room for pods has come', { now: withRoom({ pods: '0' }) }, false],
    ['a node with too little of the processor has come', { now: withRoom({ cpu: '999m' }) }, false],
    ['a node with too little memory has come', { now: withRoom({ memory: '1Mi' }) }, false],
    ['a node with too little disk has come', { now: withRoom({ 'ephemeral-storage': '1Mi' }) }, false],
    ['a node without the device has come', { now: withRoom({ [gpu]: '0' }) }, false],
    ['a node has as much as before', { old: withRoom({}), now: withRoom({}) }, false],
    ['a node has more of the processor', { old: withRoom({}), now: withRoom({ cpu: '2' }) }, true],
    ['a node has more memory', { old: withRoom({}), now: withRoom({ memory: '2Gi' }) }, true],
    ['a node has more disk', { old: withRoom({}), now: withRoom({ 'ephemeral-storage': '2Gi' }) }, true],
    ['a node has more devices', { old: withRoom({}), now: withRoom({ [gpu]: '2' }) }, true],
    ['a node has room for more pods', { old: withRoom({}), now: withRoom({ pods: '2' }) }, true],
    [
      'a node has more of what is not asked for',
      { old: withRoom({}), now: withRoom({ 'example.com/nic': '2' }) },
      false,
    ],
    ['a pod on a node has gone', { old: pod({}) }, true],
    ['a pod without a node has gone', { old: podOf({ name: 'other' }) }, false],
    ['a pod takes as much as before', { old: taking({}), now: taking({}) }, false],
    ['a pod takes less of the processor', { old: taking({ cpu: '2' }), now: taking({}) }, true],
    ['a pod takes less memory', { old: taking({ memory: '2Gi' }), now: taking({}) }, true],
    ['a pod takes more memory', { old: taking({}), now: taking({ memory: '2Gi' }) }, false],
  ])('%s', (_what, change, expected) => expect(isRetried('NodeResourcesFit', waiting, change)).toBe(expected));

  test('changes of resources that the pod does not request do not help', () => {
    const modest = podOf({ requests: { cpu: '1' } });
    for (const resource of ['memory', 'ephemeral-storage', gpu]) {
      const now = withRoom({ [resource]: '2Gi' });
      expect(isRetried('NodeResourcesFit', modest, { old: withRoom({}), now })).toBe(false);
    }
  });
});
