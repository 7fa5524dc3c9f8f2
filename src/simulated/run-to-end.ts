import { AbortScope, type Clock } from '../base/index.ts';
import { cutBytes } from '../wire/connections/index.ts';
import { type ExecSyncResponse, RuntimeError } from '../node/index.ts';
import type { ImageProgram } from './shell/index.ts';
import { runScripted } from './scripted-process.ts';
import type { SimulatedContainer } from './simulated-container.ts';

/** Output beyond this is dropped, as by CRI runtimes. */
const MAX_OUTPUT_BYTES = 16 * 1024 * 1024;

/** Runs a command in a container until it exits or times out, and collects its output. */
export async function runToEnd(
  cmd: readonly string[],
  command: { readonly container: SimulatedContainer; readonly clock: Clock; readonly imageProgram?: ImageProgram },
  { signal, timeoutMs }: { readonly signal: AbortSignal; readonly timeoutMs: number | undefined },
): Promise<ExecSyncResponse> {
  using scope = new AbortScope(signal);
  const late = new RuntimeError('DeadlineExceeded', `command timed out after ${timeoutMs} ms`);
  using _timeUp = timeoutMs === undefined ? undefined : command.clock.timer(timeoutMs, () => scope.abort(late));
  const { stdout, stderr, exitCode } = runScripted(cmd, { ...command, tty: false }, { signal: scope.signal });
  const [output, errors, code] = await Promise.all([
    cutBytes(stdout, MAX_OUTPUT_BYTES),
    cutBytes(stderr, MAX_OUTPUT_BYTES),
    exitCode,
  ]);
  if (scope.signal.aborted) throw scope.signal.reason;
  return { stdout: output, stderr: errors, exitCode: code };
}
