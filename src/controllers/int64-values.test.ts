// Integers of 64 bits beyond 2^53, which JavaScript's numbers do not hold, are bigints in objects.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startCluster, type TestCluster } from '../testing/index.ts';

const LARGEST = 9223372036854775807n as unknown as number;
const ABOVE = 9007199254740993n as unknown as number;

let cluster: TestCluster;
beforeAll(async () => {
  cluster = await startCluster({ nodes: 1, seed: 'int64', startAt: '2026-01-01T00:00:00Z' });
});
afterAll(() => cluster.stop());

function templateOf(
  app: string,
  image = 'first',
): { metadata: object; spec: { containers: [{ name: string; image: string }] } } {
  const spec = { containers: [{ name: 'c', image }] as [{ name: string; image: string }] };
  return { metadata: { labels: { app } }, spec: { ...spec, terminationGracePeriodSeconds: ABOVE } as typeof spec };
}

test('a Deployment counts on from a revision beyond 2^53', async () => {
  const { deployments, replicasets } = cluster.client.apps.v1;
  const selector = { matchLabels: { app: 'web' } };
  const created = await deployments
    .namespace('default')
    .create({ metadata: { name: 'web' }, spec: { selector, template: templateOf('web') } });
  await cluster.settle();
  const [set] = (await replicasets.namespace('default').list()).items;
  const annotation = 'deployment.kubernetes.io/revision';
  await replicasets.namespace('default').update({
    ...set!,
    metadata: { ...set!.metadata, annotations: { ...set!.metadata.annotations, [annotation]: '3546343826724305832' } },
  });
  await cluster.settle();
  const found = await deployments.namespace('default').get(created.metadata.name);
  await deployments
    .namespace('default')
    .update({ ...found, spec: { ...found.spec!, template: templateOf('web', 'second') } });
  await cluster.settle();
  const sets = (await replicasets.namespace('default').list()).items;
  expect(sets.map(({ metadata }) => metadata.annotations?.[annotation]).toSorted()).toEqual([
    '3546343826724305832',
    '3546343826724305833',
  ]);
  expect((await deployments.namespace('default').get('web')).metadata.annotations?.[annotation]).toBe(
    '3546343826724305833',
  );
});

test.each(['statefulsets', 'daemonsets'] as const)(
  'ControllerRevisions of %s count on beyond 2^53 and keep the digits of the template',
  async (plural) => {
    const sets = cluster.client.apps.v1[plural].namespace('default');
    const revisions = cluster.client.apps.v1.controllerrevisions.namespace('default');
    const own = async (): Promise<Awaited<ReturnType<typeof revisions.list>>['items']> =>
      (await revisions.list()).items.filter(({ metadata }) => metadata.labels?.['app'] === plural);
    const spec = { selector: { matchLabels: { app: plural } }, serviceName: 'none', template: templateOf(plural) };
    await sets.create({ metadata: { name: plural }, spec });
    await cluster.settle();
    const [first] = await own();
    expect(first?.data).toMatchObject({ spec: { template: { spec: { terminationGracePeriodSeconds: ABOVE } } } });
    await revisions.update({ ...first!, revision: ABOVE });
    await cluster.settle();
    const found = await sets.get(plural);
    await sets.update({ ...found, spec: { ...found.spec!, template: templateOf(plural, 'second') } } as never);
    await cluster.settle();
    expect((await own()).map(({ revision }) => revision)).toEqual(expect.arrayContaining([ABOVE, 9007199254740994n]));
  },
);

test('seconds beyond 2^53 wrap around as durations of Go do, and no controller fails on them', async () => {
  const pods = cluster.client.core.v1.pods.namespace('default');
  const { nodes } = cluster.client.core.v1;
  const template = { ...templateOf('job'), spec: { ...templateOf('job').spec, restartPolicy: 'Never' as const } };
  const spec = { activeDeadlineSeconds: LARGEST, template };
  await cluster.client.batch.v1.jobs.namespace('default').create({ metadata: { name: 'late' }, spec });
  await cluster.client.batch.v1.cronjobs.namespace('default').create({
    metadata: { name: 'minutely' },
    spec: { schedule: '* * * * *', startingDeadlineSeconds: LARGEST, jobTemplate: { spec } },
  });
  const tolerations = [{ operator: 'Exists', tolerationSeconds: LARGEST, effect: 'NoExecute' } as const];
  const patient = { ...templateOf('patient').spec, terminationGracePeriodSeconds: LARGEST, tolerations };
  await pods.create({ metadata: { name: 'patient' }, spec: patient });
  await cluster.settle();
  await cluster.clock.advance(120_000);
  await cluster.settle();
  const [node] = (await nodes.list()).items;
  await nodes.update({ ...node!, spec: { ...node!.spec, taints: [{ key: 'k', effect: 'NoExecute' }] } });
  await cluster.settle();
  const job = await cluster.client.batch.v1.jobs.namespace('default').get('late');
  expect(job.status?.conditions?.map(({ type, reason }) => `${type} ${reason}`)).toContain('Failed DeadlineExceeded');
  expect((await pods.get('patient')).metadata.deletionTimestamp).toBeUndefined();

  await pods.delete('patient');
  const { metadata } = await pods.get('patient');
  expect(metadata.deletionGracePeriodSeconds).toBe(LARGEST);
  expect(Date.parse(metadata.deletionTimestamp ?? '')).toBeLessThan(cluster.clock.now());
  await pods.delete('patient', { gracePeriodSeconds: 0 });
  await cluster.settle();
  expect(cluster.problems.filter((line) => line.includes('BigInt'))).toEqual([]);
});

test("the generation of a DaemonSet's template keeps its digits", async () => {
  const sets = cluster.client.apps.v1.daemonsets.namespace('default');
  const annotation = 'deprecated.daemonset.template.generation';
  const created = await sets.create({
    metadata: { name: 'old', annotations: { [annotation]: '9007199254740993' } },
    spec: { selector: { matchLabels: { app: 'old' } }, template: templateOf('old') },
  });
  expect(created.metadata.annotations?.[annotation]).toBe('9007199254740993');
  const changed = await sets.update({ ...created, spec: { ...created.spec!, template: templateOf('old', 'second') } });
  expect(changed.metadata.annotations?.[annotation]).toBe('9007199254740994');
});
