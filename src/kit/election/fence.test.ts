import { expect, test } from 'vitest';
import { settle, type VirtualClock } from '../../base/index.ts';
import { ConfigMap } from '../../client/index.ts';
import { TestCluster } from '../../client/testing/test-cluster.ts';
import { LeadershipLostError } from '../index.ts';
import { Fence } from './fence.ts';
import { LeaderElection } from './leader-election.ts';
import { discardLogger } from '../../base/index.ts';

const TIMES = { leaseDurationMs: 15_000, renewDeadlineMs: 10_000, retryPeriodMs: 2000 };

/** Freezes a process: its timers do not fire, while time goes on for all others. */
function freeze(clock: VirtualClock): { afterMs(ms: number): void } {
  let lostMs = 0;
  const running = clock.monotonic.bind(clock);
  clock.monotonic = () => running() + lostMs;
  return { afterMs: (ms) => (lostMs += ms) };
}

test('a leader that resumes after a freeze longer than its lease writes nothing', async () => {
  await using cluster = await TestCluster.start();
  const clock = cluster.clock as VirtualClock;
  const client = cluster.client();
  const fence = new Fence(clock);
  const parts = { log: discardLogger, recorder: { event: () => undefined }, fence };
  const options = { name: 'lock', namespace: 'default', identity: 'one', ...TIMES };
  const guarded = fence.guard(client).kindIn(ConfigMap, 'default');
  const write = (name: string): Promise<unknown> => guarded.create({ metadata: { name, namespace: 'default' } });
  const stop = new AbortController();
  const outcomes: string[] = [];
  const tryWrite = (name: string): Promise<unknown> =>
    write(name).then(
      () => outcomes.push('written'),
      (error: unknown) => outcomes.push(error instanceof LeadershipLostError ? 'fenced' : 'failed'),
    );

  await tryWrite('before it leads');
  let proceed: () => void = () => undefined;
  const frozen = new Promise<void>((resolve) => (proceed = resolve));
  const leading = new LeaderElection(client, options, parts).lead(async (signal) => {
    await tryWrite('while-it-leads');
    await frozen;
    await tryWrite('after-it-woke');
    expect(signal.aborted).toBe(false); // the timer that ends the term has not fired yet
    stop.abort();
  }, stop.signal);
  await settle();
  await clock.advance('20s');
  const process = freeze(clock);
  process.afterMs(30_000);
  proceed();
  await settle();
  await clock.advance('10s');
  await leading.catch(() => undefined); // the lease may be lost by now

  expect(outcomes).toEqual(['fenced', 'written', 'fenced']);
  const { items } = await client.core.v1.configmaps.namespace('default').list();
  expect(items.map(({ metadata }) => metadata.name).filter((name) => name !== 'kube-root-ca.crt')).toEqual([
    'while-it-leads',
  ]);
});
