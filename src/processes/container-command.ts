// Commands in containers that are processes: `kubectl exec`, probes and hooks.
import { Buffer } from 'node:buffer';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { PassThrough } from 'node:stream';
import type { Clock } from '../base/index.ts';
import {
  type ExecSyncResponse,
  type ProcessInput,
  type ProcessStreams,
  RuntimeError,
  type TerminalSize,
} from '../node/index.ts';
import type { ProcessContainer } from './process-container.ts';
import { exitCodeOf, signalGroup } from './process-groups.ts';

/** Maximum output of a command that is run to its end; the rest is dropped, as by container runtimes. */
const MAX_OUTPUT_BYTES = 16 * 1024 * 1024;
/** How long a terminal waits for its first size. */
const FIRST_SIZE_MS = 200;

/** Runs a command in a container to its end. */
export async function runToEnd(
  container: ProcessContainer,
  command: readonly string[],
  { timeoutMs, signal }: { readonly timeoutMs?: number | undefined; readonly signal: AbortSignal },
): Promise<ExecSyncResponse> {
  const stop = new AbortController();
  let isLate = false;
  using _deadline =
    timeoutMs === undefined
      ? undefined
      : container.parts.clock.timer(timeoutMs, () => {
          isLate = true;
          stop.abort();
        });
  const { stdout, stderr, exitCode } = runCommand(container, command, {
    tty: false,
    input: { signal: AbortSignal.any([signal, stop.signal]) },
  });
  const [out, error] = await Promise.all([collected(stdout), collected(stderr)]);
  const code = await exitCode;
  signal.throwIfAborted();
  if (isLate) throw new RuntimeError('DeadlineExceeded', `command ${JSON.stringify(command.join(' '))} timed out`);
  return { stdout: out, stderr: error, exitCode: code };
}

/** Starts a command in a container. Errors of the start come out of its streams. */
export function runCommand(
  container: ProcessContainer,
  command: readonly string[],
  { tty, input }: { readonly tty: boolean; readonly input: ProcessInput },
): ProcessStreams {
  const { launcher, launch, clock } = container.parts;
  const starting = (async () => {
    const shown = tty ? terminalCommand(command, await firstSize(input.resizes, clock)) : command;
    const environment = tty ? { TERM: 'xterm', ...launch.environment } : launch.environment;
    const stdin = input.stdin === undefined ? 'ignore' : 'pipe';
    const child = await launcher.spawn({ ...launch, environment, command: shown }, [stdin, 'pipe', 'pipe']);
    const exited = once(child, 'exit') as Promise<[number | null, NodeJS.Signals | null]>;
    return { child, exitCode: follow(child, { container, input, exited }) };
  })();
  async function* output(name: 'stdout' | 'stderr'): AsyncGenerator<Uint8Array> {
    const { child } = await starting;
    yield* child[name] ?? new PassThrough().end();
  }
  const exitCode = starting.then((started) => started.exitCode);
  exitCode.catch(() => undefined); // the streams have the same error
  return { stdout: output('stdout'), stderr: output('stderr'), exitCode };
}

interface Followed {
  readonly container: ProcessContainer;
  readonly input: ProcessInput;
  readonly exited: Promise<[number | null, NodeJS.Signals | null]>;
}

/** Ends the command with its caller or its container, and returns its exit code. */
async function follow(child: ChildProcess, { container, input, exited }: Followed): Promise<number> {
  const group = child.pid ?? 0;
  using _owned = container.owns(group);
  const kill = (): void => signalGroup(group, 'SIGKILL');
  if (input.signal.aborted) kill();
  else input.signal.addEventListener('abort', kill, { once: true });
  if (input.stdin !== undefined) void feed(child, input.stdin);
  try {
    const [code, signal] = await exited;
    return exitCodeOf(code, signal);
  } finally {
    input.signal.removeEventListener('abort', kill);
    kill(); // what it has left in the background would keep its output open
  }
}

/** Writes what arrives into the input of a process, as fast as the process reads it. */
export async function feed(child: Pick<ChildProcess, 'stdin'>, source: AsyncIterable<Uint8Array>): Promise<void> {
  const { stdin } = child;
  if (stdin === null) return;
  stdin.on('error', () => undefined); // the process does not read any more
  try {
    for await (const bytes of source) if (!stdin.write(bytes)) await once(stdin, 'drain');
  } catch {
    // the caller is gone, or the process: both are seen elsewhere
  }
  stdin.end();
}

/** Node.js has no terminals; the program `script` of every system gives the command one. */
function terminalCommand(command: readonly string[], size: TerminalSize | undefined): readonly string[] {
  const sized = size === undefined ? '' : `stty rows ${size.height} cols ${size.width} 2>/dev/null; `;
  const line = `${sized}exec ${command.map(quoted).join(' ')}`;
  if (process.platform === 'darwin') return ['script', '-q', '/dev/null', 'sh', '-c', line];
  return ['script', '-q', '-e', '-f', '-c', line, '/dev/null'];
}

function quoted(word: string): string {
  return `'${word.replaceAll("'", "'\\''")}'`;
}

async function firstSize(
  resizes: AsyncIterable<TerminalSize> | undefined,
  clock: Clock,
): Promise<TerminalSize | undefined> {
  if (resizes === undefined) return undefined;
  const first = resizes[Symbol.asyncIterator]().next();
  const size = first.then(({ value, done }) => (done === true ? undefined : (value as TerminalSize)));
  return Promise.race([size, clock.sleep(FIRST_SIZE_MS).then(() => undefined)]);
}

async function collected(source: AsyncIterable<Uint8Array>): Promise<Uint8Array> {
  const pieces: Uint8Array[] = [];
  let size = 0;
  for await (const bytes of source) {
    if (size < MAX_OUTPUT_BYTES) pieces.push(bytes.subarray(0, MAX_OUTPUT_BYTES - size));
    size += bytes.length;
  }
  return Buffer.concat(pieces);
}
