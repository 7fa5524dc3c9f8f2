import { keepAlive } from '../base/index.ts';
import { FlagError } from '../cluster/programs/index.ts';
import { COMMAND_GROUPS, type CommandContext, type CommandEntry, STOP_SIGNALS, type StopSignal } from './command.ts';
import { nearestName } from './nearest-name.ts';
import { type Paint, paintFor } from './paint.ts';

interface OutputLike {
  readonly isTTY?: boolean;
  write(text: string): unknown;
  /** Reports that nothing can be written any more. */
  on?(event: 'error', listener: (error: NodeJS.ErrnoException) => void): unknown;
}

/** The parts of the process that the program uses. */
export interface ProcessLike {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly execPath?: string;
  readonly argv?: readonly string[];
  readonly stdout: OutputLike;
  readonly stderr: OutputLike;
  once(event: StopSignal, listener: () => void): unknown;
}

/** Runs one of the commands; returns the exit code: 0 success, 1 failure, 2 invalid arguments, or the command's own. */
export async function runCommand(
  commands: readonly CommandEntry[],
  args: readonly string[],
  process: ProcessLike,
): Promise<number> {
  const { name, rest } = commandLine(args);
  const context = contextOf(process);
  const paint = paintFor(process.stderr, process.env); // of errors
  if (name === 'help') {
    context.print(overview(commands, paintFor(process.stdout, process.env)));
    return 0;
  }
  const entry = commands.find((candidate) => candidate.name === name);
  if (entry === undefined) {
    const shown = commands.filter(({ group }) => group !== undefined);
    const nearest = nearestName(name, ['help', ...shown.map((each) => each.name)]);
    const hint = nearest === undefined ? '' : `; did you mean "${nearest}"?`;
    context.printError(`${paint('red', 'keelson:')} unknown command "${name}"${hint}\n\n${overview(commands, paint)}`);
    return 2;
  }
  const command = await entry.load();
  const own = rest.includes('--') ? rest.slice(0, rest.indexOf('--')) : rest;
  if (own.includes('--help-all')) {
    context.print(command.fullUsage ?? command.usage);
    return 0;
  }
  if (own.includes('--help') || own.includes('-h')) {
    context.print(command.usage);
    return 0;
  }
  using _alive = keepAlive(); // timers alone would let the process end while a command waits
  try {
    return (await command.run(rest, context)) ?? 0;
  } catch (error) {
    if (context.signal.aborted && error === context.signal.reason) return 0; // stopped before it had begun
    if (error instanceof FlagError) {
      const [synopsis = ''] = command.usage.split('\n');
      context.printError(
        `${paint('red', `keelson ${name}:`)} ${error.message}\n\n${synopsis}\nkeelson ${name} --help shows the flags.`,
      );
      return 2;
    }
    const { adviceOn } = await import('./advice.ts'); // commands that succeed do without it
    const advice = await adviceOn(error, context.environment);
    const hint = advice === undefined ? '' : `\n${advice.hint}`;
    context.printError(`${paint('red', `keelson ${name}:`)} ${advice?.message ?? describe(error)}${hint}`);
    return 1;
  }
}

/** `keelson help up` is `keelson up --help`, and `keelson --version` is `keelson version`. */
function commandLine(args: readonly string[]): { readonly name: string; readonly rest: readonly string[] } {
  const [first = 'help', ...rest] = args;
  if (first === '--version') return { name: 'version', rest };
  if (!['help', '--help', '-h', '--help-all'].includes(first)) return { name: first, rest };
  const [topic, ...others] = rest;
  return topic === undefined || topic === 'help'
    ? { name: 'help', rest: [] }
    : { name: topic, rest: [...others, first === '--help-all' ? first : '--help'] };
}

function contextOf(process: ProcessLike): CommandContext {
  const stop = new AbortController();
  const listeners = new Set<(signal: StopSignal) => void>();
  const listen = (signal: StopSignal): void =>
    void process.once(signal, () => {
      if (listeners.size > 0) listen(signal);
      stop.abort();
      for (const listener of listeners) listener(signal);
    });
  STOP_SIGNALS.forEach(listen);
  for (const output of [process.stdout, process.stderr])
    output.on?.('error', (error) => {
      if (error.code !== 'EPIPE') throw error;
      stop.abort(); // the reader has left, as after `keelson trace | head`
    });
  const { execPath: node, argv: [, file] = [] } = process;
  return {
    environment: process.env,
    signal: stop.signal,
    isTerminal: process.stdout.isTTY === true,
    ...(node === undefined || file === undefined ? {} : { program: { node, file } }),
    onStopSignal: (listener) => {
      listeners.add(listener);
      return { [Symbol.dispose]: () => void listeners.delete(listener) };
    },
    paint: paintFor(process.stdout, process.env),
    progress: (text) => {
      if (process.stderr.isTTY === true)
        process.stderr.write(`${paintFor(process.stderr, process.env)('dim', text)}\n`);
    },
    print: (text) => void process.stdout.write(`${text}\n`),
    printError: (text) => void process.stderr.write(`${text}\n`),
  };
}

/** The message, followed by the causes that it does not contain. */
function describe(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const cause = error.cause === undefined ? '' : describe(error.cause);
  return error.message.endsWith(cause) ? error.message : `${error.message}: ${cause}`;
}

function overview(commands: readonly CommandEntry[], paint: Paint): string {
  const width = Math.max(...commands.map(({ name, group }) => (group === undefined ? 0 : name.length)));
  const sections = COMMAND_GROUPS.flatMap((title) => {
    const lines = commands
      .filter(({ group }) => group === title)
      .map(({ name, summary }) => `  ${name.padEnd(width)}  ${summary}`);
    return lines.length === 0 ? [] : [`${paint('bold', `${title}:`)}\n${lines.join('\n')}`];
  });
  return [
    'keelson: a Kubernetes-compatible control plane',
    'Usage: keelson COMMAND [FLAGS]',
    ...sections,
    'keelson COMMAND --help shows the flags that people use, keelson COMMAND --help-all every flag.',
  ].join('\n\n');
}
