import { expect, test } from 'vitest';
import { SeededRandom } from '../../base/index.ts';
import { FaultyTransport, mergePatch, noFaults, unreliableNetwork } from '../../client/index.ts';
import { startCluster } from '../../testing/index.ts';
import { daemonSet, rolling, targetOf } from './testing/samples.ts';

const MINUTES = 8;
const NODES = ['n1', 'n2', 'n3', 'n4', 'n5'];

test.for<readonly [string, ReturnType<typeof rolling>]>([
  ['with pods missing', rolling(2)],
  ['with more pods', rolling(0, '40%')],
])('a rollout with failing pods survives injected faults (%s)', async ([seed, strategy], { signal }) => {
  const faulty: FaultyTransport[] = [];
  const random = new SeededRandom(`faults ${seed}`);
  await using cluster = await startCluster({
    signal,
    controllers: true,
    scheduler: false,
    nodes: 0,
    seed,
    admission: { disable: ['TaintNodesByCondition'] },
    wrapTransport: (transport, { clock }) => {
      const bad = new FaultyTransport(transport, { clock, random, rates: noFaults });
      faulty.push(bad);
      return bad;
    },
  });
  const { client, clock } = cluster;
  const sets = client.apps.v1.daemonsets.namespace('default');
  const pods = client.core.v1.pods.namespace('default');
  const tolerations = [{ operator: 'Exists' as const }]; // no kubelet reports these nodes as ready

  /** Runs some minutes in which nodes start pending pods, and this share of the running pods fails per minute. */
  const live = async (failing: number): Promise<void> => {
    for (let minute = 0; minute < MINUTES; minute++) {
      await clock.advance('1m');
      const { items } = await pods.list();
      for (const { metadata, status } of items) {
        if (status?.phase === 'Failed') continue;
        const fails = status?.phase === 'Running' && random.float() < failing;
        const conditions = [{ type: 'Ready', status: fails ? 'False' : 'True' }];
        const phase = fails ? 'Failed' : 'Running';
        await pods.status.patch(metadata.name, mergePatch({ status: { phase, conditions } }));
      }
    }
  };

  for (const name of NODES) await client.core.v1.nodes.create({ metadata: { name } });
  for (const transport of faulty) transport.change(unreliableNetwork);
  await sets.create(daemonSet(strategy));
  for (const image of ['log:1', 'log:2', 'log:3']) {
    const spec = { tolerations, containers: [{ name: 'c', image }] };
    await sets.patch('log', mergePatch({ spec: { template: { spec } } }));
    await live(1 / 8);
  }
  for (const transport of faulty) transport.change();
  await live(0);
  await live(0);

  expect(faulty.reduce((total, { faults }) => total + faults.size, 0)).toBeGreaterThan(0);
  const { status } = await sets.get('log');
  expect(status).toMatchObject({ desiredNumberScheduled: 5, updatedNumberScheduled: 5, numberAvailable: 5 });
  const { items } = await pods.list();
  expect(items.map(targetOf).toSorted()).toEqual(NODES);
  expect(items.map(({ spec }) => spec?.containers[0]?.image)).toEqual(NODES.map(() => 'log:3'));
});
