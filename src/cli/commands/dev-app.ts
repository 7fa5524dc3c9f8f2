import {
  aborted,
  formatWithStack,
  keepAlive,
  LineLogger,
  RealClock,
  type Runnable,
  runTogether,
} from '../../base/index.ts';
import { Client, findConnection, HttpTransport } from '../../client/index.ts';
import {
  watchEventLoop,
  onUnhandledRejection,
  type ProgramRunOptions,
  RunTracker,
  unfinished,
  WORK_FAILED,
} from '../../kit/index.ts';
import { type Command, type CommandContext, UsageError } from '../command.ts';
import { type LoadedApp, loadApps } from '../definitions/load-apps.ts';
import { Activity } from '../dev/activity.ts';
import { errorText } from '../dev/error-text.ts';
import { type FlagDefinitions, Flags } from '../flags.ts';

const definitions: FlagDefinitions = {
  call: { type: 'string', value: 'NAME', help: 'The exported function that makes the app' },
};

/** The time that running work has to finish before the app is loaded again. */
const STOP_GRACE_MS = 3000;
/** How much later the runs are named that ignore their signal. */
const LATE_MS = 1000;

/** `keelson dev-app`: runs the app of `keelson dev` in a separate process, which ends with it. */
export const devAppCommand: Command = {
  usage: 'Usage: keelson dev-app FILE',
  async run(args, context) {
    const flags = new Flags(args, definitions);
    const [file] = flags.positionals;
    if (file === undefined) throw new UsageError('a file must be given');
    const signal = AbortSignal.any([context.signal, parentGone()]);
    using _alive = keepAlive();
    try {
      const clock = new RealClock();
      const startedMs = clock.monotonic();
      const apps = await loadApps(file, flags.text('call'));
      const names = apps.map(({ app }) => app.name).join(', ');
      context.print(`${names} loaded from ${file} in ${Math.round(clock.monotonic() - startedMs)} ms`);
      await runAll(apps, signal, context);
      process.exit(0); // even if the module has left something open
    } catch (error) {
      context.printError(errorText(causeOf(error)));
      process.exit(1);
    }
  },
};

/** Aborts when the parent process has ended or asks this one to stop. */
function parentGone(): AbortSignal {
  const gone = new AbortController();
  process.once('disconnect', () => gone.abort());
  return gone.signal;
}

async function runAll(apps: readonly LoadedApp[], signal: AbortSignal, context: CommandContext): Promise<void> {
  const clock = new RealClock();
  const tracker = new RunTracker();
  const activity = new Activity({ clock, tracker, paint: context.paint, print: context.print });
  const log = new LineLogger({
    clock,
    format: (record) => (record.message === WORK_FAILED ? '' : formatWithStack(record)), // `activity` shows runs
    write: (line) => void (line === '\n' || context.printError(line.trimEnd())),
  });
  using _forgotten = onUnhandledRejection(tracker, log);
  using loop = watchEventLoop(clock, log);
  const connection = await findConnection({ environment: context.environment });
  const transport = activity.watch(new HttpTransport(connection, { clock }));
  const runnables = apps.map(({ app, options }): Runnable => ({
    async run(scope) {
      const client = new Client(transport, { clock, log, userAgent: app.name, namespace: connection.namespace });
      const install = { ...(typeof options.install === 'object' ? options.install : {}), force: true };
      const how: ProgramRunOptions = {
        stopGrace: STOP_GRACE_MS,
        tracker,
        leaderElection: false,
        install,
        onRun: (record) => {
          activity.ran(record);
          loop.ran(record);
        },
      };
      await app.run(client, scope, how);
    },
  }));
  using _late = warnWhenLate(signal, () =>
    context.printError(`still under way although the app stops: ${unfinished(tracker)}`),
  );
  try {
    await runTogether([...runnables, { run: aborted }], signal);
  } finally {
    await transport[Symbol.asyncDispose]();
  }
}

/** Calls back when the app has not stopped some time after the signal has aborted. */
function warnWhenLate(signal: AbortSignal, warn: () => void): Disposable {
  let timer: Disposable | undefined;
  const begin = (): void => void (timer = new RealClock().timer(STOP_GRACE_MS + LATE_MS, warn));
  signal.addEventListener('abort', begin, { once: true });
  return {
    [Symbol.dispose]: () => {
      signal.removeEventListener('abort', begin);
      timer?.[Symbol.dispose]();
    },
  };
}

/** The cause of a "Cannot load" error, which `keelson dev` says already. */
function causeOf(error: unknown): unknown {
  return error instanceof Error && error.message.startsWith('Cannot load') ? (error.cause ?? error) : error;
}
