import { describe, expect, test } from 'vitest';
import { SeededRandom } from '../../base/index.ts';
import { nodeOf, podOf } from '../testing/objects.ts';
import { PodInfo } from './pod-info.ts';
import { SchedulerCache } from './scheduler-cache.ts';
import { Snapshot } from './snapshot.ts';
import type { TopologyQuery } from './topology-counts.ts';

const zone = 'zone';
const red: TopologyQuery = {
  key: 'red',
  topologyKey: zone,
  matches: ({ pod }) => pod.metadata.labels?.['color'] === 'red',
  isEligible: ({ spec }) => spec?.unschedulable !== true,
};

/** The same result, computed from all nodes. */
function countRed({ nodes }: Snapshot): Map<string, number> {
  const counts = new Map<string, number>();
  for (const { node, pods } of nodes) {
    const value = node?.metadata.labels?.[zone];
    if (node === undefined || value === undefined || red.isEligible?.(node) === false) continue;
    counts.set(value, (counts.get(value) ?? 0) + pods.filter((pod) => red.matches(pod)).length);
  }
  return counts;
}

describe('a snapshot', () => {
  test('counts pods by topology through any sequence of changes', () => {
    const random = new SeededRandom('topology');
    const cache = new SchedulerCache();
    const snapshot = new Snapshot();
    const zones = ['a', 'b', 'c', 'd'];
    const placed = new Set<string>();
    for (let step = 0; step < 3000; step++) {
      const name = `n${random.int(12)}`;
      const pod = `p${random.int(60)}`;
      const what = random.int(10);
      if (what === 0) cache.removeNode(name);
      else if (what <= 2) {
        const labels: Record<string, string> =
          random.int(5) === 0 ? {} : { [zone]: zones[random.int(zones.length)] as string };
        cache.setNode(nodeOf({ name, labels, unschedulable: random.int(4) === 0 }));
      } else if (what <= 4 && placed.delete(pod)) cache.removePod(`uid-${pod}`);
      else {
        placed.add(pod);
        cache.setPod(podOf({ name: pod, nodeName: name, labels: { color: random.int(2) === 0 ? 'red' : 'blue' } }));
      }
      if (random.int(3) !== 0) continue;
      cache.update(snapshot);
      const counts = snapshot.topology.ask(red);
      const expected = countRed(snapshot);
      expect(zones.map((value) => counts.in(value))).toEqual(zones.map((value) => expected.get(value) ?? 0));
      expect(counts.size).toBe(expected.size);
      expect(counts.total).toBe([...expected.values()].reduce((sum, count) => sum + count, 0));
      const more = random.int(5) - 2;
      const [changed = ''] = expected.keys();
      const withMore = Array.from(expected, ([value, count]) => (value === changed ? count + more : count));
      expect(counts.lowest(changed, more)).toBe(withMore.length === 0 ? 0 : Math.min(...withMore));
    }
  });

  test('drops queries that are not asked any more', () => {
    const cache = new SchedulerCache();
    const snapshot = new Snapshot();
    cache.setNode(nodeOf({ labels: { [zone]: 'a' } }));
    cache.update(snapshot);
    const first = snapshot.topology.ask(red);
    expect(snapshot.topology.ask(red)).toBe(first);
    for (let index = 0; index < 256; index++) snapshot.topology.ask({ ...red, key: `${index}` });
    expect(snapshot.topology.ask(red)).not.toBe(first);
  });

  test('finds the affinity terms that match a pod, equal terms once', () => {
    const cache = new SchedulerCache();
    const snapshot = new Snapshot();
    for (const name of ['n1', 'n2']) cache.setNode(nodeOf({ name, labels: { [zone]: name } }));
    const term = { topologyKey: zone, labelSelector: { matchLabels: { color: 'red' } } };
    const affinity = { podAntiAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [term] } };
    for (const [name, nodeName] of Object.entries({ a: 'n1', b: 'n1', c: 'n2' }))
      cache.setPod(podOf({ name, nodeName, affinity }));
    const about = (color: string): unknown => {
      cache.update(snapshot);
      return snapshot.terms
        .about(podOf({ labels: { color } }), undefined)
        .map(({ kind, pods }) => [kind, Object.fromEntries(pods)]);
    };
    expect(about('red')).toEqual([['requiredAnti', { n1: 2, n2: 1 }]]);
    expect(about('blue')).toEqual([]);
    cache.removePod('uid-c');
    cache.setNode(nodeOf({ name: 'n1', labels: { [zone]: 'moved' } }));
    expect(about('red')).toEqual([['requiredAnti', { moved: 2 }]]);
    cache.removeNode('n1');
    expect(about('red')).toEqual([]);
  });

  test('finds the nodes that have an image', () => {
    const cache = new SchedulerCache();
    const snapshot = new Snapshot();
    const setImages = (name: string, ...names: string[]): void => {
      const node = nodeOf({ name });
      const images = names.map((image) => ({ names: [image], sizeBytes: 7 }));
      cache.setNode({ ...node, status: { ...node.status, images } });
    };
    const nodesWith = (image: string): number | undefined => {
      cache.update(snapshot);
      return snapshot.images.find(image)?.slots.size;
    };
    setImages('n1', 'a:1', 'b:1');
    setImages('n2', 'a:1');
    expect([nodesWith('a:1'), nodesWith('b:1'), nodesWith('c:1')]).toEqual([2, 1, undefined]);
    setImages('n1', 'c:1');
    cache.removeNode('n2');
    expect([nodesWith('a:1'), nodesWith('b:1'), nodesWith('c:1')]).toEqual([undefined, undefined, 1]);
  });

  test('keeps the compiled affinity of a pod when other parts change', () => {
    const pod = podOf({ affinity: { podAffinity: {} } });
    const info = new PodInfo(pod);
    expect(info.onNode('n1').terms).toBe(info.terms);
  });
});
