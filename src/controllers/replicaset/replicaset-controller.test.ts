import { describe, expect, test } from 'vitest';
import type { ReplicaSet } from '../../api/types/apps/v1.d.ts';
import type { Pod } from '../../api/types/core/v1.d.ts';
import { type Client, mergePatch, type Observed } from '../../client/index.ts';
import { eventsIn, startUntil } from '../testing/controller-cluster.ts';
import { replicaSetController } from './index.ts';

const labels = { app: 'web' };

function replicaSet(name: string, replicas: number): ReplicaSet {
  const template = { metadata: { labels }, spec: { containers: [{ name: 'c', image: 'nginx' }] } };
  return { metadata: { name }, spec: { replicas, selector: { matchLabels: labels }, template } };
}

async function podsOf(client: Client): Promise<readonly Observed<Pod>[]> {
  return (await client.core.v1.pods.namespace('default').list()).items;
}

async function statusOf(client: Client, name: string): Promise<ReplicaSet['status']> {
  return (await client.apps.v1.replicasets.namespace('default').get(name)).status;
}

describe('a ReplicaSet', () => {
  test('gets its pods, and replaces those that are deleted or finished', async ({ signal }) => {
    await using cluster = await startUntil(signal, replicaSetController());
    const { client } = cluster;
    const sets = client.apps.v1.replicasets.namespace('default');
    const pods = client.core.v1.pods.namespace('default');
    await sets.create(replicaSet('web', 3));
    await cluster.settle();
    const [first, second] = await podsOf(client);
    expect(first?.metadata.generateName).toBe('web-');

    await pods.delete(first?.metadata.name ?? '');
    await pods.status.patch(second?.metadata.name ?? '', mergePatch({ status: { phase: 'Failed' } }));
    await cluster.settle();

    const left = await podsOf(client);
    expect(left.map(({ metadata }) => metadata.name)).not.toContain(first?.metadata.name);
    expect(left.filter(({ status }) => status?.phase !== 'Failed')).toHaveLength(3);
    expect(await statusOf(client, 'web')).toMatchObject({ replicas: 3, terminatingReplicas: 0 });
    expect(cluster.problems).toEqual([]);
  });

  test('counts terminating pods, and replaces them at once', async ({ signal }) => {
    await using cluster = await startUntil(signal, replicaSetController());
    const { client } = cluster;
    const set = replicaSet('web', 2);
    const finalizers = ['example.com/hold'];
    Object.assign(set.spec?.template?.metadata ?? {}, { finalizers });
    await client.apps.v1.replicasets.namespace('default').create(set);
    await cluster.settle();
    const [pod] = await podsOf(client);

    await client.core.v1.pods.namespace('default').delete(pod?.metadata.name ?? '');
    await cluster.settle();

    expect(await podsOf(client)).toHaveLength(3);
    expect(await statusOf(client, 'web')).toMatchObject({ replicas: 2, terminatingReplicas: 1 });
  });

  test('scales up and down, in bursts when it is large', async ({ signal }) => {
    await using cluster = await startUntil(signal, replicaSetController());
    const { client } = cluster;
    const sets = client.apps.v1.replicasets.namespace('default');
    await sets.create(replicaSet('web', 1200));
    await cluster.settle();
    expect(await podsOf(client)).toHaveLength(1200);

    await sets.patch('web', mergePatch({ spec: { replicas: 1 } }));
    await cluster.settle();
    expect(await podsOf(client)).toHaveLength(1);
    expect(await statusOf(client, 'web')).toMatchObject({ replicas: 1, observedGeneration: 2 });
  });

  test('that was deleted with orphaned pods leaves them to another with the same selector', async ({ signal }) => {
    await using cluster = await startUntil(signal, replicaSetController());
    const { client } = cluster;
    const sets = client.apps.v1.replicasets.namespace('default');
    const pods = client.core.v1.pods.namespace('default');
    await pods.create({ metadata: { name: 'orphan', labels }, spec: { containers: [{ name: 'c', image: 'nginx' }] } });
    await sets.create(replicaSet('one', 1));
    await cluster.settle();
    expect((await podsOf(client)).map(({ metadata }) => metadata.name)).toEqual(['orphan']);

    await sets.create(replicaSet('two', 1));
    await cluster.settle();

    const owners = (await podsOf(client)).map(({ metadata }) => metadata.ownerReferences?.[0]?.name).toSorted();
    expect(owners).toEqual(['one', 'two']);
  });

  test('in a terminating namespace neither logs nor reports failures', async ({ signal }) => {
    await using cluster = await startUntil(signal, replicaSetController());
    const { client } = cluster;
    await client.core.v1.namespaces.create({ metadata: { name: 'leaving' } });
    const sets = client.apps.v1.replicasets.namespace('leaving');
    await sets.create(replicaSet('web', 0));
    await client.core.v1.namespaces.delete('leaving');
    await sets.patch('web', mergePatch({ spec: { replicas: 3 } }));
    await cluster.settle();

    expect((await sets.get('web')).status).toEqual({ replicas: 0, terminatingReplicas: 0, observedGeneration: 2 });
    expect(await eventsIn(client)).toEqual([]);
    expect(cluster.problems).toEqual([]);
  });
});
