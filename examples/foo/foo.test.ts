import { Deployment, Event, mergePatch } from 'keelson/client';
import { startCluster, type TestCluster } from 'keelson/testing';
import { expect, test } from 'vitest';
import { Foo, sampleController } from './foo.ts';

const metadata = { name: 'example-foo' };
const spec = { deploymentName: 'example-foo', replicas: 1 };

async function eventsOf(cluster: TestCluster): Promise<readonly string[]> {
  const { items } = await cluster.client.kind(Event).namespace('default').list();
  const about = items.filter(({ involvedObject }) => involvedObject.kind === 'Foo');
  return [...new Set(about.map(({ type, reason, message }) => `${type} ${reason} ${message}`))];
}

test('a Foo gets its Deployment, and its status has the available replicas', async () => {
  await using cluster = await startCluster();
  await cluster.run(sampleController());
  const foos = cluster.client.kind(Foo).namespace('default');
  const deployments = cluster.client.kind(Deployment).namespace('default');
  await foos.create({ metadata, spec });
  await cluster.settle();

  expect((await deployments.get('example-foo')).spec?.replicas).toBe(1);
  expect((await foos.get('example-foo')).status).toEqual({ availableReplicas: 1 });
  expect(await eventsOf(cluster)).toEqual(['Normal Synced Foo synced successfully']);

  await deployments.patch('example-foo', mergePatch({ spec: { replicas: 5 } })); // a change by another user is reverted
  await foos.patch('example-foo', mergePatch({ spec: { replicas: 2 } }));
  await cluster.settle();
  expect((await deployments.get('example-foo')).spec?.replicas).toBe(2);
  expect((await foos.get('example-foo')).status).toEqual({ availableReplicas: 2 });

  await foos.delete('example-foo');
  await cluster.settle();
  expect((await deployments.list()).items).toEqual([]);
  expect(cluster.problems).toEqual([]);
});

test('a Deployment of another owner is not changed', async () => {
  await using cluster = await startCluster();
  const labels = { app: 'other' };
  const template = { metadata: { labels }, spec: { containers: [{ name: 'web', image: 'nginx' }] } };
  const deployments = cluster.client.kind(Deployment).namespace('default');
  await deployments.create({ metadata, spec: { selector: { matchLabels: labels }, template } });
  await cluster.run(sampleController());
  await cluster.client.kind(Foo).namespace('default').create({ metadata, spec });
  await cluster.settle();

  expect(await eventsOf(cluster)).toEqual([
    'Warning ErrResourceExists Resource "example-foo" already exists and is not managed by Foo',
  ]);
  expect((await deployments.get('example-foo')).metadata.ownerReferences).toBeUndefined();
});
