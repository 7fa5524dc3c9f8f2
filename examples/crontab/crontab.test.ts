import { CronJob, mergePatch } from 'keelson/client';
import { startCluster } from 'keelson/testing';
import { expect, test } from 'vitest';
import { CronTab, cronTabOperator } from './crontab.ts';

const metadata = { name: 'my-new-cron-object' };
const image = 'my-awesome-cron-image';

test('a CronTab gets defaults and a CronJob, which follows it', async () => {
  await using cluster = await startCluster();
  await cluster.run(cronTabOperator());
  const tabs = cluster.client.kind(CronTab).namespace('default');
  const jobs = cluster.client.kind(CronJob).namespace('default');
  const made = await tabs.create({ metadata, spec: { image } });
  expect(made.spec).toEqual({ cronSpec: '5 0 * * *', image, replicas: 1 });
  await cluster.settle();
  expect((await jobs.get(metadata.name)).spec?.schedule).toBe('5 0 * * *');
  expect((await tabs.get(metadata.name)).status).toEqual({ active: 0 });

  await tabs.patch(metadata.name, mergePatch({ spec: { cronSpec: '* * * * */5', replicas: 3 } }));
  await cluster.settle();
  expect((await jobs.get(metadata.name)).spec).toMatchObject({
    schedule: '* * * * */5',
    jobTemplate: { spec: { parallelism: 3 } },
  });

  await tabs.delete(metadata.name);
  await cluster.settle();
  expect((await jobs.list()).items).toEqual([]);
  expect(cluster.problems).toEqual([]);
});

test('all errors in a CronTab are reported at once, with and without a server', async () => {
  await using cluster = await startCluster({ resources: [CronTab] });
  const wrong = { metadata, spec: { image, cronSpec: '* * * * * *', replicas: 15 } };
  const causes = [
    { field: 'spec.cronSpec', message: expect.stringContaining('spec.cronSpec in body should match') },
    { field: 'spec.replicas', message: expect.stringContaining('should be less than or equal to 10') },
  ];
  const refused = {
    code: 422,
    status: { details: { causes: expect.arrayContaining(causes.map((cause) => expect.objectContaining(cause))) } },
  };

  await expect(cluster.client.kind(CronTab).namespace('default').create(wrong)).rejects.toMatchObject(refused);
  await expect(CronTab.parse(wrong)).rejects.toMatchObject(refused);
});
