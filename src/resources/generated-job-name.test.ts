import { expect, test } from 'vitest';
import { TestCluster } from '../client/testing/test-cluster.ts';

test('labels made for the pods of a Job are those of the Job too, unless its name is generated', async () => {
  await using cluster = await TestCluster.start();
  const jobs = cluster.client().batch.v1.jobs.namespace('default');
  const podSpec = { restartPolicy: 'Never' as const, containers: [{ name: 'c', image: 'i' }] };
  const spec = { template: { metadata: { labels: { app: 'a' } }, spec: podSpec } };
  const named = await jobs.create({ metadata: { name: 'named' }, spec });
  // kube-apiserver prepares a copy, in case that the name is taken; that parts the labels from those of the template
  const generated = await jobs.create({ metadata: { generateName: 'generated-' }, spec });

  expect(named.metadata.labels).toMatchObject({ app: 'a', 'job-name': 'named' });
  expect(generated.metadata.labels).toEqual({ app: 'a' });
  expect(generated.spec?.template.metadata?.labels).toMatchObject({ app: 'a', 'job-name': generated.metadata.name });
});
