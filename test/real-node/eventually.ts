import { setTimeout as sleep } from 'node:timers/promises';
import type { Daemon } from '../../peers/index.ts';

const PAUSE_MS = 200;

export interface PatienceOptions {
  /** What is waited for, for the error. */
  readonly what: string;
  readonly limitMs: number;
  /** Ends the wait at once when one of them has ended. */
  readonly daemons?: readonly Daemon[];
}

/** Tries again until it succeeds. The error after the limit has the last failure and the ends of the logs. */
export async function eventually<T>(attempt: () => Promise<T>, options: PatienceOptions): Promise<T> {
  const deadline = performance.now() + options.limitMs;
  const { what, daemons = [] } = options;
  for (;;) {
    try {
      return await attempt();
    } catch (cause) {
      for (const { failure } of daemons) if (failure !== undefined) throw new Error(failure, { cause });
      if (performance.now() > deadline) {
        const logs = daemons.map((daemon) => `--- ${daemon.name}\n${daemon.logTail(15)}`).join('\n');
        const reason = (cause as Error).message;
        throw new Error(`${what} did not happen within ${options.limitMs / 1000} s: ${reason}\n${logs}`, { cause });
      }
      await sleep(PAUSE_MS);
    }
  }
}
