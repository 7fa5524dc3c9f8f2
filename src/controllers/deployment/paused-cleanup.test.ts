import { expect, test } from 'vitest';
import { mergePatch } from '../../client/index.ts';
import { replicaSetController } from '../replicaset/index.ts';
import { startWith } from '../testing/controller-cluster.ts';
import { deploymentController } from './deployment-controller.ts';

test('a paused Deployment drops the revisions that its limit no longer keeps', async () => {
  await using cluster = await startWith(deploymentController(), replicaSetController());
  const deployments = cluster.client.apps.v1.deployments.namespace('default');
  const replicaSets = cluster.client.apps.v1.replicasets.namespace('default');
  const labels = { app: 'web' };
  const template = (image: string): object => ({
    metadata: { labels },
    spec: { containers: [{ name: 'c', image }] },
  });
  const patch = async (spec: object): Promise<void> => {
    await deployments.patch('web', mergePatch({ spec }));
    await cluster.settle();
  };
  await deployments.create({
    metadata: { name: 'web' },
    spec: {
      replicas: 0,
      selector: { matchLabels: labels },
      template: { metadata: { labels }, spec: { containers: [{ name: 'c', image: 'a' }] } },
    },
  });
  await cluster.settle();
  await patch({ template: template('b') });
  expect((await replicaSets.list()).items.length).toBe(2);

  await patch({ paused: true, revisionHistoryLimit: 0 });

  expect((await replicaSets.list()).items.map(({ spec }) => spec?.template?.spec?.containers[0]?.image)).toEqual(['b']);
});
