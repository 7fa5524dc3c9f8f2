import { SeededRandom, Turns, VirtualClock } from '../../../base/index.ts';
import { FileTree } from '../file-tree.ts';
import type { ShellMachine, ShellProcess } from '../process.ts';
import { ProcessTable } from '../process-table.ts';
import { Processor } from '../processor.ts';
import { runProgram } from '../run-program.ts';

/** A container that runs commands, with a clock that a test advances. */
export class TestContainer {
  readonly clock = new VirtualClock({ startMs: Date.UTC(2026, 0, 2, 3, 4, 5) });
  readonly stop = new AbortController();
  readonly machine: ShellMachine = {
    hostname: 'web',
    identity: { user: 0, group: 0, groups: [0] },
    clock: this.clock,
    random: new SeededRandom(1),
    files: new FileTree(['/tmp', '/root', '/dev'], this.clock.now()),
    processor: new Processor(this.clock, new Turns(), this.stop.signal),
    processes: new ProcessTable(),
    signal: this.stop.signal,
  };
  output = '';
  errors = '';

  process(stdin: AsyncIterable<Uint8Array> = nothing(), more: Partial<ShellProcess> = {}): ShellProcess {
    return {
      machine: this.machine,
      pid: 42,
      environment: new Map([
        ['COLOR', 'blue and green'],
        ['HOME', '/root'],
      ]),
      directory: '/',
      stdin,
      stdout: async (bytes) => void (this.output += Buffer.from(bytes).toString()),
      stderr: async (bytes) => void (this.errors += Buffer.from(bytes).toString()),
      descriptors: new Map(),
      signal: this.stop.signal,
      terminal: undefined,
      depth: 0,
      imageProgram: () => undefined,
      run: async () => 0,
      ...more,
    };
  }

  async run(command: readonly string[], stdin?: AsyncIterable<Uint8Array>): Promise<readonly [string, number]> {
    this.output = '';
    this.errors = '';
    const code = await runProgram(command, this.process(stdin));
    return [this.output + this.errors, code];
  }

  sh(script: string, stdin?: AsyncIterable<Uint8Array>): Promise<readonly [string, number]> {
    return this.run(['/bin/sh', '-c', script], stdin);
  }
}

async function* nothing(): AsyncGenerator<Uint8Array> {
  // ends at once
}

export async function* sent(...pieces: readonly (string | Uint8Array)[]): AsyncGenerator<Uint8Array> {
  for (const piece of pieces) yield Buffer.from(piece as string);
}
