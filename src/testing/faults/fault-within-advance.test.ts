import { expect, test } from 'vitest';
import { Node } from '../../client/index.ts';
import { startCluster } from '../index.ts';

/** How many seconds after it was cut off, from within a long advance, a node counts as lost. */
async function secondsUntilLost(cutAt: number): Promise<number> {
  await using cluster = await startCluster({ nodes: 1 });
  const { clock, client } = cluster;
  const startMs = clock.now();
  const tick = (): void => void clock.timer(7_000, tick); // changes nothing, so heartbeats may skip it
  tick();
  clock.timer(cutAt * 1000, () => void cluster.fault({ type: 'dropped', user: 'system:node:keelson' }));
  await clock.advance('10m');
  const [node] = (await client.kind(Node).list()).items;
  const ready = node?.status?.conditions?.find(({ type }) => type === 'Ready');
  expect(ready?.status, JSON.stringify([node?.metadata.name, cluster.faults[0]?.hits, ready])).toBe('Unknown');
  return (Date.parse(ready?.lastTransitionTime ?? '') - startMs) / 1000 - cutAt;
}

// the lease is at most 10 s old when the node is cut off, and the node may be silent for 50 s; the check comes every 5 s
test.each([300, 333, 347, 389])(
  'a node cut off after %i s of an advance is lost no earlier than another',
  async (cutAt) => {
    const seconds = await secondsUntilLost(cutAt);
    expect(seconds).toBeGreaterThanOrEqual(40);
    expect(seconds).toBeLessThanOrEqual(60);
  },
);
