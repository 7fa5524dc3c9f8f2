import { formatTime, instantOfMillis } from '../../api/client.ts';
import type { Job, JobStatus } from '../../api/types/batch/v1.d.ts';
import { clone, type Clock } from '../../base/index.ts';
import type { Observed } from '../../client/index.ts';
import type { Objects } from '../../kit/index.ts';
import { type ConditionText, newCondition, withCondition } from './conditions.ts';

/** A Job with pending status changes. */
export class JobDraft {
  readonly #jobs: Objects<Job>;
  readonly #clock: Clock;
  #job: Observed<Job>;
  status: JobStatus;
  /** Whether the status must be written. */
  isChanged = false;

  constructor(job: Observed<Job>, { jobs, clock }: { readonly jobs: Objects<Job>; readonly clock: Clock }) {
    this.#jobs = jobs;
    this.#clock = clock;
    this.#job = job;
    this.status = mutableStatus(job);
  }

  get now(): string {
    return formatTime(instantOfMillis(this.#clock.now()));
  }

  /** The UIDs of finished pods that are not in the status's counts yet. */
  get uncounted(): { succeeded: readonly string[]; failed: readonly string[] } {
    const { succeeded = [], failed = [] } = this.status.uncountedTerminatedPods ?? {};
    return { succeeded, failed };
  }

  /** Sets members of the status. */
  set(members: Partial<JobStatus>): void {
    const before: Partial<Record<string, unknown>> = { active: 0, ...this.status };
    if (Object.entries(members).some(([name, value]) => before[name] !== value)) this.isChanged = true;
    Object.assign(this.status, members);
  }

  /** Adds or changes a condition; returns whether that changed anything. */
  say(text: ConditionText): boolean {
    const changed = withCondition(this.status.conditions ?? [], text, this.now);
    if (changed === undefined) return false;
    this.status.conditions = changed;
    this.isChanged = true;
    return true;
  }

  /** Appends a condition unconditionally. */
  append(text: ConditionText): void {
    this.status.conditions = [...(this.status.conditions ?? []), newCondition(text, this.now)];
    this.isChanged = true;
  }

  /** Writes the status, if it changed. */
  async write(): Promise<void> {
    if (!this.isChanged) return;
    this.#job = await this.#jobs.updateStatus({ ...this.#job, status: this.status });
    this.status = mutableStatus(this.#job);
    this.isChanged = false;
  }
}

function mutableStatus({ status }: Observed<Job>): JobStatus {
  return { uncountedTerminatedPods: {}, ...(clone(status ?? {}) as JobStatus) };
}
