import { expect, test } from 'vitest';
import { TestCluster } from '../client/testing/test-cluster.ts';

test('labels generated for the pods of a Job are also on the Job, unless its name is generated', async () => {
  await using cluster = await TestCluster.start();
  const jobs = cluster.client().batch.v1.jobs.namespace('default');
  const podSpec = { restartPolicy: 'Never' as const, containers: [{ name: 'c', image: 'i' }] };
  const spec = { template: { metadata: { labels: { app: 'a' } }, spec: podSpec } };
  const named = await jobs.create({ metadata: { name: 'named' }, spec });
  // kube-apiserver prepares a copy, in case the name is taken; its labels are then separate from the template's
  const generated = await jobs.create({ metadata: { generateName: 'generated-' }, spec });

  expect(named.metadata.labels).toMatchObject({ app: 'a', 'job-name': 'named' });
  expect(generated.metadata.labels).toEqual({ app: 'a' });
  expect(generated.spec?.template.metadata?.labels).toMatchObject({ app: 'a', 'job-name': generated.metadata.name });
});
