import { hostname } from 'node:os';
import {
  aborted,
  type Clock,
  describeError,
  formatJson,
  formatWithStack,
  keepAlive,
  LineLogger,
  type Logger,
  millisecondsOf,
  RealClock,
} from '../base/index.ts';
import { connectTo, findConnection, Outages } from '../client/index.ts';
import type { App, ProgramRunOptions } from './app/app-options.ts';
import { deploymentOptions } from './deployment-environment.ts';
import { runHost } from './run-host.ts';
import type { RunOptions } from './run-options.ts';
import { StopSignals } from './stop-signals.ts';
import { watchEventLoop } from './work/blocked-loop.ts';
import { RunTracker, unfinished } from './work/run-tracker.ts';

/** How long work that ignores its signal keeps the process alive after the grace period. */
const LAST_MS = 5000;

/**
 * Runs an app as a program: finds the cluster as kubectl does, logs to standard error, stops gracefully at SIGINT and
 * SIGTERM and at once at the second one, and continues when an unavailable server comes back. Sets the exit code: 0 when
 * stopped, 1 when it failed. Under `keelson dev`, that program runs the app instead.
 */
export async function run(app: App, options: RunOptions = {}): Promise<void> {
  const host = runHost();
  if (host !== undefined) return host.run(app, options);
  const { stopGrace = 30_000, logLevel: level = 'info', logFormat = 'text', install = false } = options;
  const clock = new RealClock();
  const format = logFormat === 'json' ? formatJson : formatWithStack;
  const log = new LineLogger({ clock, level, format, write: (line) => process.stderr.write(line) });
  using stop = new StopSignals();
  using _alive = keepAlive(); // nothing else does while the server is unavailable
  try {
    const deployment = deploymentOptions(process.env);
    const connection = await findConnection({ ...options, clock });
    const outages = new Outages({ clock, log, server: connection.server });
    const own = { ...options, clock, log: outages.log, userAgent: app.name };
    await using client = connectTo(connection, own, outages.observed);
    const tracker = new RunTracker();
    using _forgotten = onUnhandledRejection(tracker, log);
    log.info('app runs', { app: app.name, host: hostname(), process: process.pid });
    using loop = watchEventLoop(clock, log);
    const how: ProgramRunOptions = {
      stopGrace,
      tracker,
      onRun: loop.ran,
      ...(install === false ? {} : { install }),
      ...deployment,
    };
    const running = app.run(client, stop.signal, how);
    const patience = { clock, ms: millisecondsOf(stopGrace) + LAST_MS };
    await Promise.race([running, expired(stop.signal, tracker, patience)]);
    log.info('app stopped', { app: app.name });
  } catch (error) {
    log.error('app failed', { app: app.name, error: describeError(error) });
    process.exitCode = 1;
  }
}

/** Logs failed promises that runs did not await, and keeps the process running; other unhandled rejections end it as usual. */
export function onUnhandledRejection(tracker: RunTracker, log: Logger): Disposable {
  const tell = (error: unknown): void => {
    const { current } = tracker;
    if (current === undefined) throw error;
    const { controller, key: object } = current;
    log.error('a promise without await has failed', { controller, object, error });
  };
  process.on('unhandledRejection', tell);
  return { [Symbol.dispose]: () => void process.off('unhandledRejection', tell) };
}

/** Rejects `ms` after the signal aborts, with the runs that are still in progress. */
async function expired(
  signal: AbortSignal,
  tracker: RunTracker,
  { clock, ms }: { readonly clock: Clock; readonly ms: number },
): Promise<never> {
  await aborted(signal);
  await clock.sleep(ms);
  throw new Error(`Cannot stop in good order: still under way after ${ms} ms: ${unfinished(tracker)}`);
}
