import type { Runnable } from '../../../base/index.ts';
import type { Client } from '../../../client/index.ts';
import { scheduler, SchedulingAttempts, type SchedulerOptions } from '../../../scheduler/index.ts';
import { answerAttempts } from '../../scheduling-paths.ts';
import { type ProgramOptions, runProgram } from '../run-program.ts';

export interface SchedulerProgramOptions extends ProgramOptions {
  /** Profiles, plugins and extenders; see `configuredScheduler`. */
  readonly scheduler: SchedulerOptions;
}

/** The scheduler as a program of its own, on any API server. Where it answers probes, it also tells why pods went where they are. */
export class SchedulerProgram implements Runnable {
  readonly #options: SchedulerProgramOptions;
  readonly #client: Client;

  constructor(client: Client, options: SchedulerProgramOptions) {
    this.#client = client;
    this.#options = options;
  }

  run(signal: AbortSignal): Promise<void> {
    const { scheduler: own, serving, ...options } = this.#options;
    const program = { ...options, name: 'kube-scheduler', client: this.#client };
    if (serving === undefined) return runProgram({ ...program, parts: [scheduler(own)] }, signal);
    const { attempts = new SchedulingAttempts() } = own;
    const parts = [scheduler({ ...own, attempts })];
    return runProgram({ ...program, parts, serving: { ...serving, answer: answerAttempts(attempts) } }, signal);
  }
}
