// Runs many CronJobs for a long virtual time on a cluster whose pods succeed at once.
import { parseCronSchedule } from '../../../api/meaning/index.ts';
import { ValueError } from '../../../api/client.ts';
import { CronJob, Job, keyOf, mergePatch, Pod } from '../../../client/index.ts';
import { controller, type Part } from '../../../kit/index.ts';
import { garbageCollector } from '../../garbage-collector/garbage-collector.ts';
import { jobController } from '../../job/job-controller.ts';
import { startWith } from '../../testing/controller-cluster.ts';
import { cronJobController } from '../cronjob-controller.ts';

const DAY_MS = 86_400_000;
const HOUR_MS = 3_600_000;
const MINUTE_MS = 60_000;

export interface LongRun {
  /** The number of Jobs that started, and the number expected. */
  readonly started: number;
  readonly due: number;
  /** Deviations from the expected final state. */
  readonly problems: readonly string[];
}

/** A schedule per index: most run daily, some twice a day; some have a time zone. */
function scheduleOf(index: number): { readonly schedule: string; readonly timeZone?: string } {
  const minute = (index * 7) % 60;
  const hour = (index * 5) % 24;
  const zone = index % 10 === 3 ? { timeZone: 'Europe/Berlin' } : {};
  if (index % 6 === 0) return { schedule: `${minute} */12 * * *`, ...zone };
  return { schedule: `${minute} ${hour} * * *`, ...zone };
}

function succeedingPods(): Part {
  return controller(Pod, {
    name: 'succeeding-pods',
    concurrency: 5,
    async reconcile(pod, { objects }) {
      if (pod.status?.phase !== 'Pending') return;
      await objects(Pod).patchStatus(keyOf(pod), mergePatch({ status: { phase: 'Succeeded' } }));
    },
  });
}

function notedJobs(names: Set<string>): Part {
  const prepare: Part['prepare'] = (context) => {
    context.onChange(Job, { add: (job) => void names.add(keyOf(job)) });
    return {
      run: (signal) => new Promise((resolve) => signal.addEventListener('abort', () => resolve(), { once: true })),
    };
  };
  return { name: 'noted-jobs', prepare };
}

/** Runs `count` CronJobs for `days` virtual days and compares the Jobs with the schedules. */
export async function runCronJobs(count: number, days: number): Promise<LongRun> {
  const names = new Set<string>();
  const parts = [cronJobController(), jobController(), garbageCollector(), succeedingPods(), notedJobs(names)];
  await using cluster = await startWith(...parts);
  const { client, clock } = cluster;
  const spec = { restartPolicy: 'Never' as const, containers: [{ name: 'c', image: 'busybox' }] };
  const cronJobs = client.kind(CronJob).namespace('default');
  for (let index = 0; index < count; index++)
    await cronJobs.create({
      metadata: { name: `cron-${index}` },
      spec: { ...scheduleOf(index), jobTemplate: { spec: { template: { spec } } } },
    });
  await cluster.settle();
  const startMs = clock.now();
  const endMs = startMs + days * DAY_MS + 29.5 * MINUTE_MS;
  while (clock.now() < endMs) await clock.advance(Math.min(HOUR_MS, endMs - clock.now()));
  await cluster.settle();
  const problems: string[] = [];
  let due = 0;
  for (const { metadata, spec: wanted, status } of (await cronJobs.list()).items) {
    const times = timesOf(wanted ?? { schedule: '' }, startMs, endMs);
    due += times.length;
    const last = new Date(times.at(-1) ?? 0).toISOString().replace('.000', '');
    if (status?.lastScheduleTime !== last)
      problems.push(`${metadata.name} last ran for ${status?.lastScheduleTime}, not for ${last}`);
    if ((status?.active ?? []).length > 0) problems.push(`${metadata.name} has active Jobs`);
  }
  const jobs = (await client.kind(Job).list()).items.length;
  const pods = (await client.kind(Pod).list()).items.length;
  if (jobs > 3 * count) problems.push(`${jobs} Jobs are kept`);
  if (pods !== jobs) problems.push(`${pods} pods are kept for ${jobs} Jobs`);
  return { started: names.size, due, problems };
}

function timesOf(
  { schedule, timeZone = 'UTC' }: { readonly schedule: string; readonly timeZone?: string },
  afterMs: number,
  endMs: number,
): readonly number[] {
  const parsed = parseCronSchedule(`TZ=${timeZone} ${schedule}`);
  if (parsed instanceof ValueError) throw parsed;
  const times: number[] = [];
  for (let ms = parsed.next(afterMs); ms !== undefined && ms <= endMs; ms = parsed.next(ms)) times.push(ms);
  return times;
}
