import { Buffer } from 'node:buffer';
import { aborted, type Clock, messageOf } from '../base/index.ts';
import { ByteInbox } from '../wire/connections/index.ts';
import { OutputLog } from '../node/index.ts';
import { type ImageProgram, MAIN, runProgram, type ShellMachine, type ShellProcess } from './shell/index.ts';

/** How a program of the image, which is not known here, ends: at once, after a second as in a Job, or when it is stopped. */
export type ImageProgramEnd = 'at once' | 'soon' | 'when stopped';

/** How long a program of the image runs in a Job. */
export const SOON_MS = 1000;

export interface MainProcessParts {
  readonly words: readonly string[];
  readonly machine: ShellMachine;
  /** The machine's clock, or one that catches up. */
  readonly clock: Clock;
  readonly environment: ReadonlyMap<string, string>;
  readonly directory: string;
  readonly hasInput: boolean;
  readonly imageProgramEnd: ImageProgramEnd;
}

/** The program that a container runs. */
export class MainProcess {
  readonly output: OutputLog;
  /** What is written to it is the input of the program; undefined when that has none. */
  readonly input: ByteInbox | undefined;
  readonly #parts: MainProcessParts;

  constructor(parts: MainProcessParts) {
    this.#parts = parts;
    this.output = new OutputLog(parts.clock);
    this.input = parts.hasInput ? new ByteInbox() : undefined;
  }

  /** Runs it to its end, and returns its exit code. */
  async run(): Promise<number> {
    const { words, machine, environment, directory, imageProgramEnd, clock } = this.#parts;
    const write =
      (stream: 'stdout' | 'stderr') =>
      async (bytes: Uint8Array): Promise<void> =>
        this.output.write(stream, bytes);
    const process: ShellProcess = {
      machine,
      pid: MAIN,
      environment,
      directory,
      stdin: this.input ?? nothing(),
      stdout: write('stdout'),
      stderr: write('stderr'),
      descriptors: new Map(),
      signal: machine.signal,
      terminal: undefined,
      depth: 0,
      imageProgram: imageProgram(imageProgramEnd, clock),
      run: runProgram,
    };
    try {
      return await runProgram(words, process);
    } catch (error) {
      await process.stderr(Buffer.from(`${messageOf(error)}\n`));
      return 1;
    } finally {
      this.output.end();
      this.input?.finish();
    }
  }
}

function imageProgram(end: ImageProgramEnd, clock: Clock): ImageProgram {
  return async (_, { signal }) => {
    if (end === 'soon') await clock.sleep(SOON_MS, signal);
    else if (end === 'when stopped') await aborted(signal);
    return 0;
  };
}

async function* nothing(): AsyncGenerator<Uint8Array> {
  // ends at once
}
