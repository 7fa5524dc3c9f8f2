import { hostname } from 'node:os';
import {
  aborted,
  describeError,
  formatJson,
  formatWithStack,
  keepAlive,
  LineLogger,
  type Logger,
  type LogLevel,
  RealClock,
} from '../base/index.ts';
import { connect, type ConnectOptions } from '../client/index.ts';
import type { App } from './app.ts';
import type { InstallOptions } from './resource/install.ts';
import { RunTracker } from './work/run-tracker.ts';

export interface RunOptions extends Pick<ConnectOptions, 'kubeconfig' | 'context'> {
  /** What is under way at the end may take so long to finish; 30 s unless given. */
  readonly stopGraceMs?: number;
  /** Less than this is not logged; 'info' unless given. */
  readonly logLevel?: LogLevel;
  readonly logFormat?: 'text' | 'json';
  /** Makes the cluster serve the app's `resources` first; not unless given. */
  readonly install?: boolean | InstallOptions;
}

/** After its grace period, work that does not heed its signal keeps the process for so long. */
const LAST_MS = 5000;
/** As shells say it. */
const SIGNAL_CODES = { SIGINT: 130, SIGTERM: 143 } as const;

/**
 * Runs an app as a program: finds the cluster as kubectl does, logs to standard error, stops in good order at SIGINT and
 * SIGTERM and at once at the second one, and goes on when the server comes back after it was away. Sets the exit code: 0 when stopped, 1 when it failed.
 */
export async function run(app: App, options: RunOptions = {}): Promise<void> {
  const { stopGraceMs = 30_000, logLevel: level = 'info', logFormat = 'text', install = false } = options;
  const clock = new RealClock();
  const format = logFormat === 'json' ? formatJson : formatWithStack;
  const log = new LineLogger({ clock, level, format, write: (line) => process.stderr.write(line) });
  using stop = new StopSignals();
  using _alive = keepAlive(); // while the server is away, nothing else would
  try {
    await using client = await connect({ ...options, clock, log, userAgent: app.name });
    const tracker = new RunTracker();
    using _forgotten = onForgotten(tracker, log);
    log.info('app runs', { app: app.name, host: hostname(), process: process.pid });
    const running = app.run(client, stop.signal, { stopGraceMs, tracker, ...(install === false ? {} : { install }) });
    await Promise.race([running, expired(stop.signal, clock, stopGraceMs + LAST_MS)]);
    log.info('app stopped', { app: app.name });
  } catch (error) {
    log.error('app failed', { app: app.name, error: describeError(error) });
    process.exitCode = 1;
  }
}

/** Tells of promises that runs have forgotten and that have failed, and lives on; others end the process, as they do without us. */
function onForgotten(tracker: RunTracker, log: Logger): Disposable {
  const tell = (error: unknown): void => {
    const { current } = tracker;
    if (current === undefined) throw error;
    const { controller, key: object } = current;
    log.error('a promise that nobody awaits has failed', { controller, object, error });
  };
  process.on('unhandledRejection', tell);
  return { [Symbol.dispose]: () => void process.off('unhandledRejection', tell) };
}

/** Rejects when something has not ended so long after the signal. */
async function expired(signal: AbortSignal, clock: RealClock, ms: number): Promise<never> {
  await aborted(signal);
  await clock.sleep(ms);
  throw new Error(`Cannot stop in good order: work is still under way after ${ms} ms`);
}

/** A signal that aborts at the first SIGINT or SIGTERM; the second one ends the process. */
class StopSignals implements Disposable {
  readonly #controller = new AbortController();
  readonly #onSignal = (name: keyof typeof SIGNAL_CODES): void => {
    if (this.#controller.signal.aborted) process.exit(SIGNAL_CODES[name]);
    this.#controller.abort(new Error(`Stopped by ${name}`));
  };

  constructor() {
    for (const name of Object.keys(SIGNAL_CODES)) process.on(name, this.#onSignal);
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  [Symbol.dispose](): void {
    for (const name of Object.keys(SIGNAL_CODES)) process.off(name, this.#onSignal);
  }
}
