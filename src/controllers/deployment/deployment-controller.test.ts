import { describe, expect, test } from 'vitest';
import type { Deployment, DeploymentSpec } from '../../api/types/apps/v1.d.ts';
import { mergePatch } from '../../client/index.ts';
import { replicaSetController } from '../replicaset/index.ts';
import { eventsIn, startWith } from '../testing/controller-cluster.ts';
import { deploymentController } from './deployment-controller.ts';

function deployment(spec: Partial<DeploymentSpec> = {}, name = 'web'): Deployment {
  const labels = { app: 'web' };
  const template = { metadata: { labels }, spec: { containers: [{ name: 'c', image: 'nginx' }] } };
  return { metadata: { name }, spec: { replicas: 2, selector: { matchLabels: labels }, template, ...spec } };
}

describe('a Deployment', () => {
  test('does nothing for days once its rollout is complete', async () => {
    await using cluster = await startWith(deploymentController(), replicaSetController());
    const deployments = cluster.client.apps.v1.deployments.namespace('default');
    await deployments.create(deployment({ replicas: 0 }));
    await cluster.settle();
    const { metadata } = await deployments.get('web');

    await cluster.clock.advance('10d');

    expect((await deployments.get('web')).metadata.resourceVersion).toBe(metadata.resourceVersion);
    expect(cluster.problems).toEqual([]);
  });

  test('misses its deadline to the second', async () => {
    await using cluster = await startWith(deploymentController(), replicaSetController());
    const deployments = cluster.client.apps.v1.deployments.namespace('default');
    const progress = async (): Promise<string | undefined> =>
      (await deployments.get('web')).status?.conditions?.find(({ type }) => type === 'Progressing')?.reason;
    await deployments.create(deployment({ progressDeadlineSeconds: 600 }));
    await cluster.settle();

    await cluster.clock.advance('9m55s');
    expect(await progress()).toBe('ReplicaSetUpdated');
    await cluster.clock.advance('10s');
    expect(await progress()).toBe('ProgressDeadlineExceeded');
  });

  test("whose selector overlaps with another's leaves the other its ReplicaSets", async () => {
    await using cluster = await startWith(deploymentController(), replicaSetController());
    const { client } = cluster;
    const deployments = client.apps.v1.deployments.namespace('default');
    await deployments.create(deployment({}, 'one'));
    await cluster.settle();
    await deployments.create(deployment({ replicas: 1 }, 'two'));
    await cluster.settle();

    const { items } = await client.apps.v1.replicasets.namespace('default').list();
    const sizes = items.map(({ metadata, spec }) => [metadata.ownerReferences?.[0]?.name, spec?.replicas]);
    expect(sizes.toSorted()).toEqual([
      ['one', 2],
      ['two', 1],
    ]);
  });

  test('in a terminating namespace neither logs nor reports failures', async () => {
    await using cluster = await startWith(deploymentController(), replicaSetController());
    const { client } = cluster;
    await client.core.v1.namespaces.create({ metadata: { name: 'leaving' } });
    const deployments = client.apps.v1.deployments.namespace('leaving');
    await deployments.create(deployment({ paused: true }));
    await cluster.settle();
    await client.core.v1.namespaces.delete('leaving');
    await deployments.patch('web', mergePatch({ spec: { paused: false } }));
    await cluster.settle();

    expect(await eventsIn(client)).toEqual([]);
    expect(cluster.problems).toEqual([]);
  });

  test('reports when its ReplicaSet cannot be created', async () => {
    await using cluster = await startWith(deploymentController(), replicaSetController());
    const { client } = cluster;
    const deployments = client.apps.v1.deployments.namespace('default');
    // Just below the limit, which the additional annotations of a ReplicaSet exceed.
    const annotations = { 'big.example.com/a': 'x'.repeat(262_100) };
    const base = deployment();
    await deployments.create({ ...base, metadata: { name: 'web', annotations } });
    await cluster.settle();

    const { status } = await deployments.get('web');
    const progressing = status?.conditions?.find(({ type }) => type === 'Progressing');
    expect(progressing).toMatchObject({ status: 'False', reason: 'ReplicaSetCreateError' });
    expect(progressing?.message).toMatch(/^Failed to create new replica set "web-[a-z0-9]+": ReplicaSet\.apps "web-/);
    expect((await eventsIn(client)).join()).toContain(
      'Warning ReplicaSetCreateError: Failed to create new replica set',
    );
  });
});
