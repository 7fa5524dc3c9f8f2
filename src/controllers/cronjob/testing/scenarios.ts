import type { CronJobSpec } from '../../../api/types/batch/v1.d.ts';
import { CronJob, Job, mergePatch, type Sendable } from '../../../client/index.ts';
import { type ScenarioTopic, type ScenarioWorld, see } from '../../testing/scenarios/index.ts';

const MINUTE_S = 60;
/** The second of each minute at which steps run: late enough for the controller to have acted in that minute. */
const STEP_S = 20;

const template = {
  metadata: { labels: { app: 'work' } },
  spec: { restartPolicy: 'Never' as const, containers: [{ name: 'c', image: 'busybox' }] },
};

function cronJob(spec: Partial<CronJobSpec> = {}): Sendable<CronJob> {
  const jobTemplate = { metadata: { labels: { a: 'b' }, annotations: { team: 'x' } }, spec: { template } };
  return { metadata: { name: 'work' }, spec: { schedule: '* * * * *', jobTemplate, ...spec } };
}

/** Waits for the step's second of this or the next minute. */
async function align(world: ScenarioWorld): Promise<void> {
  const second = new Date(world.now()).getUTCSeconds();
  await world.pass((STEP_S - second + MINUTE_S) % MINUTE_S);
}

async function start(world: ScenarioWorld, spec: Partial<CronJobSpec> = {}): Promise<void> {
  await align(world);
  await world.create(CronJob, cronJob(spec));
}

async function nextMinute(world: ScenarioWorld): Promise<void> {
  const second = new Date(world.now()).getUTCSeconds();
  await world.pass(MINUTE_S + STEP_S - second);
}

/** Finishes the first running Job by name, as the Job controller would. */
async function end(world: ScenarioWorld, type: 'Complete' | 'Failed'): Promise<void> {
  const { items } = await world.of(Job).list();
  const running = items.filter(({ status }) => (status?.conditions ?? []).length === 0);
  const [name = ''] = running.map(({ metadata }) => metadata.name).toSorted();
  const time = world.now();
  const isComplete = type === 'Complete';
  const conditions = [isComplete ? 'SuccessCriteriaMet' : 'FailureTarget', type].map((each) => ({
    type: each,
    status: 'True',
    lastProbeTime: time,
    lastTransitionTime: time,
  }));
  await world.changeStatus(Job, name, {
    startTime: time,
    conditions,
    uncountedTerminatedPods: {},
    ...(isComplete ? { completionTime: time, succeeded: 1 } : { failed: 1 }),
  });
}

const scenarios: ScenarioTopic['scenarios'] = {
  'a Job every minute': async (world) => {
    await start(world);
    await world.look('created');
    await nextMinute(world);
    await world.look('first');
    await end(world, 'Complete');
    await world.look('first done');
    await nextMinute(world);
    await world.look('second');
    await end(world, 'Failed');
    await world.look('second failed');
  },

  'Jobs beside each other': async (world) => {
    await start(world);
    await nextMinute(world);
    await nextMinute(world);
    await world.look('two');
    await end(world, 'Complete');
    await world.look('one is done');
  },

  'one Job at a time': async (world) => {
    await start(world, { concurrencyPolicy: 'Forbid' });
    await nextMinute(world);
    await nextMinute(world);
    await world.look('still the first');
    await end(world, 'Complete');
    await world.look('the second follows at once');
  },

  'one Job in place of another': async (world) => {
    await start(world, { concurrencyPolicy: 'Replace' });
    await nextMinute(world);
    await world.look('first');
    await nextMinute(world);
    await world.look('second');
  },

  'suspended, and what was missed': async (world) => {
    await start(world, { suspend: true });
    await nextMinute(world);
    await nextMinute(world);
    await world.look('suspended');
    await world.change(CronJob, 'work', { spec: { suspend: false } });
    await world.look('made up for once');
  },

  'suspended, and what is too late': async (world) => {
    await start(world, { suspend: true, startingDeadlineSeconds: 10 });
    await nextMinute(world);
    await world.change(CronJob, 'work', { spec: { suspend: false } });
    await world.look('not made up for');
    await nextMinute(world);
    await world.look('the next');
  },

  'a history of one': async (world) => {
    await start(world, { successfulJobsHistoryLimit: 1 });
    await nextMinute(world);
    await end(world, 'Complete');
    await world.look('a success is kept');
    await nextMinute(world);
    await end(world, 'Complete');
    await world.look('the last success is kept');
    await nextMinute(world);
    await end(world, 'Failed');
    await world.look('a failure is kept beside it');
  },

  'an active Job that is deleted': async (world) => {
    await start(world);
    await nextMinute(world);
    const { items } = await world.of(Job).list();
    await world.of(Job).delete(items[0]?.metadata.name ?? '', { propagationPolicy: 'Background' });
    await world.look('missing');
  },

  'a Job that somebody else started': async (world) => {
    await start(world, { schedule: '0 0 1 1 *' });
    const { metadata } = await world.of(CronJob).get('work');
    const owner = { apiVersion: 'batch/v1', kind: 'CronJob', name: 'work', uid: metadata.uid, controller: true };
    const annotations = { 'cronjob.kubernetes.io/instantiate': 'manual' };
    await world.create(Job, { metadata: { name: 'mine', annotations, ownerReferences: [owner] }, spec: { template } });
    await world.look('seen');
    await end(world, 'Complete');
    await world.look('done');
  },

  'a schedule that is changed': async (world) => {
    await start(world, { schedule: '0 0 1 1 *' });
    await nextMinute(world);
    await world.look('not yet');
    await world.change(CronJob, 'work', { spec: { schedule: '*/1 * * * *' } });
    await world.look('changed');
    await nextMinute(world);
    await world.look('now');
  },

  'a time zone': async (world) => {
    await start(world, { timeZone: 'Asia/Kathmandu' });
    await nextMinute(world);
    await world.look('a local time');
  },

  'Jobs that the server refuses': async (world) => {
    const jobTemplate = { metadata: { labels: { 'not a name': 'x' } }, spec: { template } };
    await start(world, { jobTemplate });
    await nextMinute(world);
    await world.look('refused');
  },

  'a day that does not exist': async (world) => {
    await start(world, { schedule: '0 0 31 2 *' });
    await world.look('told');
  },

  'a Job of that name is there': async (world) => {
    await start(world, { schedule: '0 0 1 1 *' });
    const minute = Math.floor(Date.parse(world.now()) / 60_000) + 1;
    await world.create(Job, { metadata: { name: `work-${minute}` }, spec: { template } });
    await world.change(CronJob, 'work', { spec: { schedule: '* * * * *' } });
    await nextMinute(world);
    await world.look('left alone');
  },

  'hours that were missed': async (world) => {
    await start(world, { suspend: true });
    await world.changeStatus(CronJob, 'work', { lastScheduleTime: world.now(-3 * 3600) });
    await world.change(CronJob, 'work', { spec: { suspend: false } });
    await world.look('made up for once');
  },

  'a CronJob that is being deleted': async (world) => {
    const { metadata, ...rest } = cronJob();
    await align(world);
    await world.create(CronJob, { ...rest, metadata: { ...metadata, finalizers: ['example.com/hold'] } });
    await nextMinute(world);
    await world.of(CronJob).delete('work', { propagationPolicy: 'Background' });
    await end(world, 'Complete');
    await world.look('its Job is done');
    await nextMinute(world);
    await world.look('nothing is started');
    await world.of(CronJob).patch('work', mergePatch({ metadata: { finalizers: null } }));
  },
};

/** Scenarios about CronJobs. */
export const topic: ScenarioTopic = {
  controllers: ['cronjob-controller'],
  seen: [see(CronJob), see(Job, ({ spec }) => spec?.template?.metadata?.labels?.['app'])],
  masks: [
    [/-\d{8}\b/g, '-<minute>'],
    [/^\d+$/g, '<version>'],
    [/ x\d+: Saw completed/g, ': Saw completed'], // repeated when caches are stale
    [/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d[+-]\d\d:\d\d/g, '<local time>'],
  ],
  scenarios,
};
