import { describe, expect, test } from 'vitest';
import { nodeOf, podInfoOf, podOf } from '../testing/objects.ts';
import { SchedulerCache } from './scheduler-cache.ts';
import { Snapshot } from './snapshot.ts';

function snapshotOf(cache: SchedulerCache, snapshot = new Snapshot()): Snapshot {
  cache.update(snapshot);
  return snapshot;
}

const requests = { cpu: '1', memory: '1Gi' };

describe('SchedulerCache', () => {
  test('counts assumed pods until they are forgotten', () => {
    const cache = new SchedulerCache();
    cache.setNode(nodeOf({ name: 'n1' }));
    cache.assume(podInfoOf({ requests }), 'n1');
    expect(cache.isAssumed('uid-pod')).toBe(true);
    expect(snapshotOf(cache).get('n1')?.requested.milliCpu).toBe(1000);

    expect(cache.forget('uid-pod')).toBe(true);

    expect(cache.forget('uid-pod')).toBe(false);
    expect(snapshotOf(cache).get('n1')?.requested.milliCpu).toBe(0);
    expect(cache.assumedCount).toBe(0);
  });

  test('the watch overrides the node of an assumed pod', () => {
    const cache = new SchedulerCache();
    for (const name of ['n1', 'n2']) cache.setNode(nodeOf({ name }));
    cache.assume(podInfoOf({ requests }), 'n1');

    cache.setPod(podOf({ requests, nodeName: 'n2' }));

    const snapshot = snapshotOf(cache);
    expect(cache.isAssumed('uid-pod')).toBe(false);
    expect([snapshot.get('n1')?.pods.length, snapshot.get('n2')?.pods.length]).toEqual([0, 1]);
    expect(cache.removePod('uid-pod')).toBe(true);
    expect(snapshotOf(cache, snapshot).get('n2')?.requested.memory).toBe(0);
  });

  test('updates only the changed nodes of a snapshot', () => {
    const cache = new SchedulerCache();
    for (const name of ['n1', 'n2', 'n3']) cache.setNode(nodeOf({ name }));
    const snapshot = snapshotOf(cache);
    const generations = (): (number | undefined)[] => ['n1', 'n2', 'n3'].map((name) => snapshot.get(name)?.generation);
    const before = generations();
    const { nodes } = snapshot;

    cache.assume(podInfoOf({ requests }), 'n2');
    expect(generations()).toEqual(before); // a snapshot does not change by itself
    cache.update(snapshot);

    const after = generations();
    expect([after[0], after[2]]).toEqual([before[0], before[2]]);
    expect(after[1]).toBeGreaterThan(before[1] ?? 0);
    expect(snapshot.nodes).toBe(nodes);
  });

  test('drops removed nodes from the snapshot and restores them with their pods', () => {
    const cache = new SchedulerCache();
    for (const name of ['n1', 'n2']) cache.setNode(nodeOf({ name }));
    cache.setPod(podOf({ requests, nodeName: 'n1' }));
    const snapshot = snapshotOf(cache);

    cache.removeNode('n1');
    cache.update(snapshot);
    expect(snapshot.nodes.map(({ name }) => name)).toEqual(['n2']);
    expect(snapshot.get('n1')).toBeUndefined();

    cache.setNode(nodeOf({ name: 'n1' }));
    cache.update(snapshot);
    expect(snapshot.nodes.map(({ name }) => name)).toEqual(['n2', 'n1']);
    expect(snapshot.get('n1')?.requested.milliCpu).toBe(1000);
  });

  test('sees changes of other nodes that happened before one was removed', () => {
    const cache = new SchedulerCache();
    for (const name of ['n1', 'n2']) cache.setNode(nodeOf({ name }));
    const snapshot = snapshotOf(cache);
    cache.assume(podInfoOf({ requests }), 'n1');
    cache.removeNode('n2');
    cache.setNode(nodeOf({ name: 'n3' }));
    cache.update(snapshot);
    expect(snapshot.get('n1')?.pods.length).toBe(1);
    expect(snapshot.nodes.map(({ name }) => name)).toEqual(['n1', 'n3']);
  });

  test('keeps pods on nodes that it does not know yet', () => {
    const cache = new SchedulerCache();
    cache.setPod(podOf({ requests, nodeName: 'n1' }));
    expect(snapshotOf(cache).nodes).toEqual([]);
    cache.setNode(nodeOf({ name: 'n1' }));
    expect(snapshotOf(cache).get('n1')?.pods.length).toBe(1);
  });

  test('lists one node of each zone in turn', () => {
    const cache = new SchedulerCache();
    const zoned = (name: string, zone: string): void =>
      cache.setNode(nodeOf({ name, labels: { 'topology.kubernetes.io/zone': zone } }));
    zoned('a1', 'a');
    zoned('a2', 'a');
    zoned('b1', 'b');
    zoned('a3', 'a');
    const names = (): string[] => snapshotOf(cache).nodes.map(({ name }) => name);
    expect(names()).toEqual(['a1', 'b1', 'a2', 'a3']);
    zoned('a2', 'b');
    expect(names()).toEqual(['a1', 'b1', 'a3', 'a2']);
  });

  test('agrees with a full recount after any sequence of changes', () => {
    const cache = new SchedulerCache();
    const snapshot = new Snapshot();
    const places = new Map<string, string>();
    for (let step = 0; step < 2000; step++) {
      const node = `n${(step * 7) % 5}`;
      const name = `p${(step * 13) % 17}`;
      if (step % 11 === 0) cache.removeNode(node);
      else if (step % 3 === 0) cache.setNode(nodeOf({ name: node }));
      else if (step % 4 === 0) {
        cache.removePod(`uid-${name}`);
        places.delete(name);
      } else {
        cache.setPod(podOf({ name, requests, nodeName: node }));
        places.set(name, node);
      }
      if (step % 5 !== 0) continue;
      cache.update(snapshot);
      for (const info of snapshot.nodes) {
        const count = [...places.values()].filter((place) => place === info.name).length;
        expect([info.name, info.pods.length, info.requested.milliCpu]).toEqual([info.name, count, count * 1000]);
      }
      expect(snapshot.nodes.every((info) => snapshot.get(info.name) === info)).toBe(true);
    }
  });
});
