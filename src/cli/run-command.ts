import { keepAlive } from '../base/index.ts';
import { type CommandContext, type CommandEntry, STOP_SIGNALS, type StopSignal, UsageError } from './command.ts';

/** The parts of the process that the program touches. */
export interface ProcessLike {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly execPath?: string;
  readonly argv?: readonly string[];
  readonly stdout: { readonly isTTY?: boolean; write(text: string): unknown };
  readonly stderr: { write(text: string): unknown };
  once(event: StopSignal, listener: () => void): unknown;
}

/** Runs one of the commands; answers with the exit code: 0 done, 1 failed, 2 not understood, or the command's own. */
export async function runCommand(
  commands: readonly CommandEntry[],
  args: readonly string[],
  process: ProcessLike,
): Promise<number> {
  const [first = 'help', ...rest] = args;
  const name = first === '--version' ? 'version' : first;
  const context = contextOf(process);
  const entry = commands.find((candidate) => candidate.name === name);
  if (entry === undefined) {
    const isHelp = ['help', '--help', '-h'].includes(name);
    (isHelp ? context.print : context.printError)(
      isHelp ? overview(commands) : `keelson: unknown command "${name}"\n\n${overview(commands)}`,
    );
    return isHelp ? 0 : 2;
  }
  const command = await entry.load();
  const own = rest.includes('--') ? rest.slice(0, rest.indexOf('--')) : rest;
  if (own.includes('--help') || own.includes('-h')) {
    context.print(command.usage);
    return 0;
  }
  using _alive = keepAlive(); // a command that waits for somebody else may have nothing but timers, and they would let it end
  try {
    return (await command.run(rest, context)) ?? 0;
  } catch (error) {
    if (context.signal.aborted && error === context.signal.reason) return 0; // stopped before it had begun
    if (error instanceof UsageError) {
      const [synopsis = ''] = command.usage.split('\n');
      context.printError(`keelson ${name}: ${error.message}\n\n${synopsis}\nkeelson ${name} --help tells the flags.`);
      return 2;
    }
    context.printError(`keelson ${name}: ${describe(error)}`);
    return 1;
  }
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
    print: (text) => void process.stdout.write(`${text}\n`),
    printError: (text) => void process.stderr.write(`${text}\n`),
  };
}

/** The message with the causes behind it, as far as it does not tell them itself. */
function describe(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const cause = error.cause === undefined ? '' : describe(error.cause);
  return error.message.endsWith(cause) ? error.message : `${error.message}: ${cause}`;
}

function overview(commands: readonly CommandEntry[]): string {
  const shown = commands.filter(({ isHidden = false }) => !isHidden);
  const width = Math.max(...shown.map(({ name }) => name.length));
  const lines = shown.map(({ name, summary }) => `  ${name.padEnd(width)}  ${summary}`);
  return `keelson: a Kubernetes-compatible control plane\n\nUsage: keelson COMMAND [FLAGS]\n\n${lines.join('\n')}\n\nkeelson COMMAND --help tells more.`;
}
