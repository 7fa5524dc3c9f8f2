// Commands in simulated containers.
import { Buffer } from 'node:buffer';
import type { ExecSyncResponse, ProcessInput, ProcessStreams } from '../runtime/index.ts';
import type { ContainerScript } from './script.ts';

/** A command runs as the script says; without a script `echo` prints its words, and everything else prints nothing. */
export function scriptedOutput({ execOutput, execCode }: ContainerScript, cmd: readonly string[]): ExecSyncResponse {
  const [program = '', ...words] = cmd;
  const isEcho = execOutput === undefined && nameOf(program) === 'echo';
  const text = isEcho ? `${words.join(' ')}\n` : (execOutput ?? '');
  return { stdout: Buffer.from(text), stderr: new Uint8Array(), exitCode: execCode };
}

/** The same with streams; without a script `cat` prints what it is sent. */
export function runScripted(script: ContainerScript, cmd: readonly string[], input: ProcessInput): ProcessStreams {
  const isCat = script.execOutput === undefined && nameOf(cmd[0] ?? '') === 'cat';
  const { stdout, exitCode } = scriptedOutput(script, cmd);
  async function* output(): AsyncGenerator<Uint8Array> {
    if (isCat && input.stdin !== undefined) yield* input.stdin;
    else if (stdout.length > 0) yield stdout;
  }
  return processStreams(output(), () => exitCode);
}

/** A process that ends when its output does, or when nobody reads that any more. */
export function processStreams(output: AsyncIterable<Uint8Array>, exitCode: () => number): ProcessStreams {
  let end: (code: number) => void = () => undefined;
  const ended = new Promise<number>((resolve) => (end = resolve));
  async function* stdout(): AsyncGenerator<Uint8Array> {
    try {
      yield* output;
    } finally {
      end(exitCode());
    }
  }
  return { stdout: stdout(), stderr: nothing(), exitCode: ended };
}

async function* nothing(): AsyncGenerator<Uint8Array> {
  // ends at once
}

function nameOf(program: string): string {
  return program.slice(program.lastIndexOf('/') + 1);
}
