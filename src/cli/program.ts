import type { Command, CommandContext } from './command.ts';
import { UsageError } from './command.ts';
import { apiserverCommand } from './commands/apiserver.ts';
import { celCommand } from './commands/cel.ts';
import { controllerManagerCommand } from './commands/controller-manager.ts';
import { crdCommand } from './commands/crd.ts';
import { replayCommand } from './commands/replay.ts';
import { rbacCommand } from './commands/rbac.ts';
import { storeCommand } from './commands/store.ts';
import { traceCommandLine } from './commands/trace.ts';
import { typesCommand } from './commands/types-of-definitions.ts';
import { upCommand } from './commands/up.ts';
import { versionCommand } from './commands/version.ts';

const commands: readonly Command[] = [
  upCommand,
  apiserverCommand,
  controllerManagerCommand,
  storeCommand,
  traceCommandLine,
  replayCommand,
  celCommand,
  crdCommand,
  rbacCommand,
  typesCommand,
  versionCommand,
];

/** The parts of the process that the program touches. */
export interface ProcessLike {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly stdout: { readonly isTTY?: boolean; write(text: string): unknown };
  readonly stderr: { write(text: string): unknown };
  once(event: 'SIGINT' | 'SIGTERM', listener: () => void): unknown;
}

/** Runs one command line; answers with the exit code: 0 done, 1 failed, 2 not understood. */
export async function runProgram(args: readonly string[], process: ProcessLike): Promise<number> {
  const [name = 'help', ...rest] = args;
  const context = contextOf(process);
  const command = commands.find((candidate) => candidate.name === name);
  if (command === undefined) {
    const isHelp = ['help', '--help', '-h'].includes(name);
    (isHelp ? context.print : context.printError)(
      isHelp ? overview() : `keelson: unknown command "${name}"\n\n${overview()}`,
    );
    return isHelp ? 0 : 2;
  }
  const own = rest.includes('--') ? rest.slice(0, rest.indexOf('--')) : rest;
  if (own.includes('--help') || own.includes('-h')) {
    context.print(command.usage);
    return 0;
  }
  try {
    await command.run(rest, context);
    return 0;
  } catch (error) {
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
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => stop.abort());
  return {
    environment: process.env,
    signal: stop.signal,
    isTerminal: process.stdout.isTTY === true,
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

function overview(): string {
  const width = Math.max(...commands.map(({ name }) => name.length));
  const lines = commands.map(({ name, summary }) => `  ${name.padEnd(width)}  ${summary}`);
  return `keelson: a Kubernetes-compatible control plane\n\nUsage: keelson COMMAND [FLAGS]\n\n${lines.join('\n')}\n\nkeelson COMMAND --help tells more.`;
}
