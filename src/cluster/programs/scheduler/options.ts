import type { Part } from '../../../kit/index.ts';
import type { SchedulerOptions } from '../../../scheduler/index.ts';

/** The scheduler of a cluster. */
export interface SchedulingOptions {
  /** Whether and how pods are scheduled; default with the built-in plugins. A part takes the scheduler's place. */
  readonly scheduler?: boolean | SchedulerOptions | Part;
}
