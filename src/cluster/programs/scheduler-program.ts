import type { Runnable } from '../../base/index.ts';
import type { Client } from '../../client/index.ts';
import { scheduler, type SchedulerOptions } from '../../scheduler/index.ts';
import { type ProgramOptions, runProgram } from './run-program.ts';

export interface SchedulerProgramOptions extends ProgramOptions {
  /** Profiles, plugins and extenders; see `configuredScheduler`. */
  readonly scheduler: SchedulerOptions;
}

/** The scheduler as a program of its own, on any API server. */
export class SchedulerProgram implements Runnable {
  readonly #options: SchedulerProgramOptions;
  readonly #client: Client;

  constructor(client: Client, options: SchedulerProgramOptions) {
    this.#client = client;
    this.#options = options;
  }

  run(signal: AbortSignal): Promise<void> {
    const { scheduler: own, ...options } = this.#options;
    return runProgram({ ...options, name: 'kube-scheduler', parts: [scheduler(own)], client: this.#client }, signal);
  }
}
