import { matchLabelSelector, ValueError } from '../../api/client.ts';
import { controllerOf } from '../../api/meaning/index.ts';
import { deepEqual } from '../../base/index.ts';
import { ItemBackoff, Job, keyOf, type Observed, Pod } from '../../client/index.ts';
import type { AppContext, EventRecorder, KeyedWorkers, Objects, ProgramPart, PreparedPart } from '../../kit/index.ts';
import { claim, orphansByNamespace, ownerKeys } from '../ownership/index.ts';
import { isJobOrTracked, isTracked, TRACKING_FINALIZER } from './job-pod.ts';
import { JobMetrics } from './job-metrics.ts';
import { syncJob } from './job-sync.ts';
import { isJobFinished, isManagedElsewhere } from './job-view.ts';
import { isAbandoned, releaseAbandoned } from './orphan-pods.ts';
import { type Failures, NO_FAILURES } from './pod-backoff.ts';

const NAME = 'job';
const COMPONENT = 'job-controller';
const CONCURRENT_SYNCS = 5;
/** Pod events are batched, so that the status of a large Job is not written for each of them. */
const BATCH_MS = 1000;
const RETRY = { initialDelay: 1000, maxDelay: 60_000 };

const OWNERS = { kind: Job, selectorOf: ({ spec }: Observed<Job>) => spec?.selector };

/** Runs the pods of each Job until enough have succeeded, or too many have failed. */
export function jobController(): ProgramPart {
  return {
    name: NAME,
    sleepsWithout: [Job, Pod],
    sleepsThrough: ({ before, after }, { hasAny }) => ![before, after].some(isJobOrTracked) && !hasAny(Job),
    prepare: (context) => new JobController(context),
  };
}

class JobController implements PreparedPart {
  readonly #context: AppContext;
  readonly #events: EventRecorder;
  readonly #metrics: JobMetrics;
  readonly #jobs: Objects<Job>;
  readonly #pods: Objects<Pod>;
  readonly #syncs: KeyedWorkers;
  /** Releases pods (by key) that no Job tracks any more. */
  readonly #orphans: KeyedWorkers;
  /** Failures of unfinished Jobs. */
  readonly #failures = new Map<string, Failures>();

  constructor(context: AppContext) {
    this.#context = context;
    this.#events = context.events(COMPONENT);
    this.#metrics = new JobMetrics(context.metrics);
    this.#jobs = context.objects(Job);
    this.#pods = context.objects(Pod);
    this.#syncs = context.workers(NAME, {
      concurrency: CONCURRENT_SYNCS,
      rateLimiter: new ItemBackoff(RETRY),
      work: (key) => this.#sync(key),
    });
    this.#orphans = context.workers('job_orphan_pod', {
      concurrency: CONCURRENT_SYNCS,
      rateLimiter: new ItemBackoff(RETRY),
      work: (key) => releaseAbandoned(key, { jobs: this.#jobs, pods: this.#pods }),
    });
    this.#watchJobs();
    this.#watchPods();
  }

  async run(signal: AbortSignal): Promise<void> {
    await Promise.all([this.#syncs.run(signal), this.#orphans.run(signal)]);
  }

  #watchJobs(): void {
    const releaseAll = ({ metadata: { uid } }: Observed<Job>): void => {
      for (const pod of this.#pods.list({ controlledBy: uid }).filter(isTracked)) this.#orphans.add(keyOf(pod));
    };
    this.#context.onChange(Job, {
      add: (job) => {
        this.#syncs.add(keyOf(job));
        if (isManagedElsewhere(job)) this.#metrics.managedBy(job.spec?.managedBy ?? '');
      },
      update: (job, old) => {
        if (isJobFinished(job)) releaseAll(job);
        if (job.metadata.generation === old.metadata.generation) this.#syncs.addAfter(keyOf(job), BATCH_MS);
        else this.#syncs.add(keyOf(job));
      },
      delete: (job) => {
        this.#syncs.add(keyOf(job));
        releaseAll(job);
      },
    });
  }

  #watchPods(): void {
    this.#context.onChange(Pod, {
      add: (pod) => {
        this.#metrics.podChanged(pod, undefined);
        this.#podChanged(pod, undefined);
      },
      update: (pod, old) => {
        this.#metrics.podChanged(pod, old);
        this.#podChanged(pod, old);
      },
      delete: (pod) => {
        this.#metrics.podChanged(undefined, pod);
        this.#podChanged(pod, pod);
      },
    });
  }

  /** An orphan can only be adopted after a change of its labels or owners. */
  #podChanged(pod: Observed<Pod>, old: Observed<Pod> | undefined): void {
    if (isAbandoned(pod, this.#jobs)) this.#orphans.add(keyOf(pod));
    const isSameOwner = old !== undefined && controllerOf(pod)?.uid === controllerOf(old)?.uid;
    const isSame =
      isSameOwner && controllerOf(pod) === undefined && deepEqual(pod.metadata.labels, old.metadata.labels);
    const changed = isSame ? [] : old === undefined || isSameOwner ? [pod] : [pod, old];
    const keys = new Set(changed.flatMap((each) => ownerKeys(each, OWNERS, this.#context)));
    for (const key of keys) this.#syncs.addAfter(key, BATCH_MS);
  }

  async #sync(key: string): Promise<void> {
    const job = this.#jobs.get(key);
    if (job === undefined || isJobFinished(job)) {
      this.#failures.delete(key);
      return;
    }
    if (isManagedElsewhere(job)) return;
    const pods = await this.#claimPods(job);
    await syncJob(job, pods, {
      jobs: this.#jobs,
      pods: this.#pods,
      clock: this.#context.clock,
      metrics: this.#metrics,
      failures: this.#failures.get(key) ?? NO_FAILURES,
      event: (details) => this.#events.event(job, details),
      after: (ms) => this.#syncs.addAfter(key, ms),
      remember: (failures) => this.#failures.set(key, failures),
    });
  }

  async #claimPods(job: Observed<Job>): Promise<readonly Observed<Pod>[]> {
    const selector = matchLabelSelector(job.spec?.selector);
    if (selector instanceof ValueError) throw new Error(`couldn't convert Job selector: ${selector.message}`);
    const { uid, namespace = '' } = job.metadata;
    const candidates = [
      ...this.#pods.list({ controlledBy: uid }),
      ...this.#pods.byIndex(orphansByNamespace, namespace),
    ];
    return claim(candidates, {
      owner: job,
      ownerKind: Job,
      owners: this.#jobs,
      selector,
      kind: Pod,
      objects: this.#pods,
      finalizer: TRACKING_FINALIZER,
    });
  }
}
