import { formatTime, instantOfMillis } from '../../api/client.ts';
import type { CronJobStatus } from '../../api/types/batch/v1.d.ts';
import { clone } from '../../base/index.ts';
import { type CronJob, Job, type Observed } from '../../client/index.ts';
import type { Objects } from '../../kit/index.ts';

type ActiveJob = NonNullable<CronJobStatus['active']>[number];

/** A CronJob with pending status changes. */
export class CronJobDraft {
  readonly #cronJob: Observed<CronJob>;
  readonly #status: CronJobStatus;
  #isChanged = false;

  constructor(cronJob: Observed<CronJob>) {
    this.#cronJob = cronJob;
    this.#status = clone(cronJob.status ?? {}) as CronJobStatus;
  }

  /** The active Jobs in the status. */
  get active(): readonly ActiveJob[] {
    return this.#status.active ?? [];
  }

  /** The CronJob with its new status. */
  get cronJob(): Observed<CronJob> {
    return { ...this.#cronJob, status: this.#status };
  }

  isActive({ metadata: { uid } }: Observed<Job>): boolean {
    return this.active.some((each) => each.uid === uid);
  }

  started(job: Observed<Job>, dueMs: number): void {
    const { name, namespace, uid, resourceVersion } = job.metadata;
    const { kind, apiVersion } = Job;
    const reference = { kind, apiVersion, namespace, name, uid, resourceVersion };
    this.#status.active = [...this.active, reference];
    this.#status.lastScheduleTime = formatTime(instantOfMillis(dueMs));
    this.#isChanged = true;
  }

  ended(uid: string | undefined): void {
    this.#status.active = this.active.filter((each) => each.uid !== uid);
    this.#isChanged = true;
  }

  succeededAt(time: string | undefined): void {
    const { lastSuccessfulTime } = this.#status;
    if (time === undefined || (lastSuccessfulTime !== undefined && time <= lastSuccessfulTime)) return;
    this.#status.lastSuccessfulTime = time;
    this.#isChanged = true;
  }

  async write(cronJobs: Objects<CronJob>): Promise<void> {
    if (this.#isChanged) await cronJobs.updateStatus(this.cronJob);
  }
}
