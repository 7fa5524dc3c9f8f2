import { expect, test } from 'vitest';
import { SeededRandom, settle } from '../base/index.ts';
import { FaultyTransport, noFaults } from '../client/index.ts';
import { startCluster } from './start-cluster.ts';
import { testCluster } from './runners/cluster-tests.ts';
import type { TestCluster } from './test-cluster.ts';

/** Advances time by years, which would take hours. */
function keepBusy({ clock }: TestCluster): Promise<void> {
  const tick = (): void => void clock.timer(1, tick);
  tick();
  return clock.advance('300d');
}

test('a cluster ends in the middle of advancing when its signal aborts', async () => {
  const ending = new AbortController();
  await using cluster = await startCluster({ nodes: 0, signal: ending.signal });
  const passing = keepBusy(cluster);
  await settle();

  ending.abort(new Error('out of time'));

  await expect(passing).rejects.toThrow('out of time');
  await expect(cluster.settle()).rejects.toThrow('out of time');
  await expect(cluster.client.core.v1.namespaces.get('default')).rejects.toThrow('closed');
});

test('the signal of a fork ends it, and the original continues', async () => {
  const ending = new AbortController();
  await using cluster = await startCluster({ nodes: 0 });
  await using fork = await cluster.fork({ signal: ending.signal });
  const passing = keepBusy(fork);
  await settle();

  ending.abort(new Error('out of time'));

  await expect(passing).rejects.toThrow('out of time');
  await cluster.clock.advance('1h');
});

test('the cluster of a test that has run out of time ends', async () => {
  const ending = new AbortController();
  const ends: (() => Promise<void>)[] = [];
  const clusterTest = testCluster({ nodes: 0 }, { afterAll: (end) => ends.push(end) });
  const body = clusterTest(async (cluster) => {
    const passing = keepBusy(cluster);
    await settle();
    ending.abort(new Error('out of time'));
    await passing;
  });

  await expect(body({ signal: ending.signal })).rejects.toThrow('out of time');
  for (const end of ends) await end();
});

test('a cluster stops while the response to an event is delayed', async () => {
  const delayed = { ...noFaults, delay: 1 };
  const faulty: FaultyTransport[] = [];
  const cluster = await startCluster({
    nodes: 0,
    wrapTransport: (inner, { clock }) => {
      const random = new SeededRandom('delays');
      faulty.push(new FaultyTransport(inner, { clock, random, rates: noFaults }));
      return faulty.at(-1) ?? inner;
    },
  });
  for (const transport of faulty) transport.change(delayed);
  const spec = { containers: [{ name: 'c', image: 'i' }] };
  await cluster.client.core.v1.pods.namespace('default').create({ metadata: { name: 'nowhere' }, spec });
  await cluster.clock.advance('5s'); // the scheduler writes that no node is there

  await cluster.stop();
});
