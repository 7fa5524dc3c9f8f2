import { expect, test } from 'vitest';
import { SeededRandom } from '../../base/index.ts';
import { FaultyTransport, mergePatch, noFaults, unreliableNetwork } from '../../client/index.ts';
import { startCluster } from '../../testing/index.ts';

test.for(['one', 'two', 'three'])('a rollout completes despite injected faults (%s)', async (seed, { signal }) => {
  const faulty: FaultyTransport[] = [];
  const random = new SeededRandom(`faults ${seed}`);
  await using cluster = await startCluster({
    signal,
    controllers: true,
    scheduler: false,
    nodes: 0,
    seed,
    wrapTransport: (transport, { clock }) => {
      const bad = new FaultyTransport(transport, { clock, random, rates: noFaults });
      faulty.push(bad);
      return bad;
    },
  });
  for (const transport of faulty) transport.change(unreliableNetwork);
  const { client, clock } = cluster;
  const deployments = client.apps.v1.deployments.namespace('default');
  const pods = client.core.v1.pods.namespace('default');
  const makeReady = async (): Promise<void> => {
    const status = { phase: 'Running', conditions: [{ type: 'Ready', status: 'True' }] };
    const { items } = await pods.list();
    for (const { metadata, status: now } of items) {
      if (now?.phase !== 'Running') await pods.status.patch(metadata.name, mergePatch({ status }));
    }
  };
  const labels = { app: 'web' };
  const template = (image: string): object => ({
    metadata: { labels },
    spec: { containers: [{ name: 'c', image }] },
  });
  await deployments.create({
    metadata: { name: 'web' },
    spec: { replicas: 7, selector: { matchLabels: labels }, template: template('nginx:1') },
  });
  for (const image of ['nginx:1', 'nginx:2', 'nginx:3']) {
    await deployments.patch('web', mergePatch({ spec: { template: template(image) } }));
    for (let minute = 0; minute < 10; minute++) {
      await clock.advance('1m');
      await makeReady();
    }
  }
  for (const transport of faulty) transport.change();
  for (let minute = 0; minute < 30; minute++) {
    await clock.advance('1m');
    await makeReady();
  }

  expect(faulty.reduce((total, { faults }) => total + faults.size, 0)).toBeGreaterThan(0);
  const { status } = await deployments.get('web');
  expect(status).toMatchObject({ replicas: 7, updatedReplicas: 7, availableReplicas: 7 });
  const { items } = await pods.list();
  expect(items.map(({ spec }) => spec?.containers[0]?.image)).toEqual(Array.from({ length: 7 }, () => 'nginx:3'));
  const { items: sets } = await client.apps.v1.replicasets.namespace('default').list();
  expect(sets.map(({ spec }) => spec?.replicas).toSorted()).toEqual([0, 0, 7]);
});
