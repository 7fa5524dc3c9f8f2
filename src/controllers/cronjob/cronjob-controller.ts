import { ValueError } from '../../api/client.ts';
import { exponentialBuckets, type Histogram } from '../../base/index.ts';
import { controllerOf, type CronSchedule, parseCronSchedule } from '../../api/meaning/index.ts';
import { CronJob, type Index, ItemBackoff, Job, keyOf, type Observed } from '../../client/index.ts';
import type { AppContext, EventRecorder, KeyedWorkers, Objects, ProgramPart, PreparedPart } from '../../kit/index.ts';
import { scheduleText, syncCronJob } from './cronjob-sync.ts';
import { untilNextMs } from './due-time.ts';

const NAME = 'cronjob';
const COMPONENT = 'cronjob-controller';
const CONCURRENT_SYNCS = 5;
/** Maximum number of cached parsed schedules. */
const KNOWN_SCHEDULES = 1000;

/** Jobs by the key of their controlling CronJob. */
const byCronJob: Index<Job> = {
  kind: undefined,
  valuesOf: (job) => {
    const owner = controllerOf(job);
    return owner?.kind === CronJob.kind ? `${job.metadata.namespace ?? ''}/${owner.name}` : undefined;
  },
};

/** Starts the Jobs of each CronJob on schedule. Schedules without a time zone are in UTC. */
export function cronJobController(): ProgramPart {
  return { name: NAME, sleepsWithout: [CronJob], prepare: (context) => new CronJobController(context) };
}

class CronJobController implements PreparedPart {
  readonly #context: AppContext;
  readonly #events: EventRecorder;
  readonly #cronJobs: Objects<CronJob>;
  readonly #jobs: Objects<Job>;
  readonly #syncs: KeyedWorkers;
  readonly #skewSeconds: Histogram;
  readonly #schedules = new Map<string, CronSchedule | ValueError>();

  constructor(context: AppContext) {
    this.#context = context;
    this.#events = context.events(COMPONENT);
    this.#cronJobs = context.objects(CronJob);
    this.#jobs = context.objects(Job);
    this.#syncs = context.workers(NAME, {
      concurrency: CONCURRENT_SYNCS,
      rateLimiter: new ItemBackoff(),
      work: (key) => this.#sync(key),
    });
    this.#skewSeconds = context.metrics
      .histogram({
        name: 'cronjob_controller_job_creation_skew_duration_seconds',
        help: 'Time from when a Job was to start to when it was created.',
        buckets: exponentialBuckets(1, 2, 10),
      })
      .with();
    this.#watch();
  }

  run(signal: AbortSignal): Promise<void> {
    return this.#syncs.run(signal);
  }

  #watch(): void {
    const jobChanged = (job: Observed<Job>): void => {
      const owner = controllerOf(job);
      const key = `${job.metadata.namespace ?? ''}/${owner?.name}`;
      if (owner !== undefined && this.#cronJobs.get(key)?.metadata.uid === owner.uid) this.#syncs.add(key);
    };
    this.#context.onChange(Job, {
      add: jobChanged,
      update: (job, old) => {
        jobChanged(job);
        if (controllerOf(job)?.uid !== controllerOf(old)?.uid) jobChanged(old);
      },
      delete: jobChanged,
    });
    this.#context.onChange(CronJob, {
      add: (cronJob) => this.#syncs.add(keyOf(cronJob)),
      update: (cronJob, old) => this.#changed(cronJob, old),
      delete: (cronJob) => this.#syncs.add(keyOf(cronJob)),
    });
  }

  /** A changed schedule applies from now on: its past times do not count as missed. */
  #changed(cronJob: Observed<CronJob>, old: Observed<CronJob>): void {
    if (scheduleText(cronJob) === scheduleText(old)) return this.#syncs.add(keyOf(cronJob));
    const schedule = this.#schedule(scheduleText(cronJob));
    if (schedule instanceof ValueError) {
      const message = `unparseable schedule for cronjob: ${cronJob.spec?.schedule}`;
      this.#events.event(cronJob, { type: 'Warning', reason: 'UnParseableCronJobSchedule', message });
      return;
    }
    const afterMs = untilNextMs(cronJob, schedule, this.#context.clock.now());
    if (afterMs !== undefined) this.#syncs.addAfter(keyOf(cronJob), afterMs);
  }

  async #sync(key: string): Promise<void> {
    const cronJob = this.#cronJobs.get(key);
    if (cronJob === undefined) return;
    const afterMs = await syncCronJob(cronJob, this.#jobs.byIndex(byCronJob, key), {
      cronJobs: this.#cronJobs,
      jobs: this.#jobs,
      nowMs: this.#context.clock.now(),
      skewSeconds: this.#skewSeconds,
      schedule: (text) => this.#schedule(text),
      event: (details) => this.#events.event(cronJob, details),
    });
    if (afterMs !== undefined) this.#syncs.addAfter(key, afterMs);
  }

  #schedule(text: string): CronSchedule | ValueError {
    const known = this.#schedules.get(text) ?? parseCronSchedule(text);
    if (this.#schedules.size >= KNOWN_SCHEDULES) this.#schedules.clear();
    this.#schedules.set(text, known);
    return known;
  }
}
