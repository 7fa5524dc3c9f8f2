import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { type Flow, readFlow } from './flow.ts';

export interface ConntrackOptions {
  /** The program; default `conntrack`, found in PATH. */
  readonly program?: string;
  /** A command that runs it, such as `ip netns exec NAME`; default none. */
  readonly prefix?: readonly string[];
}

type Family = 'ipv4' | 'ipv6';

const LIMIT_MS = 60_000;
const MAX_ERRORS = 8192;
/** Kinds of flows that one call deletes; the next call finds the rest. */
const MAX_DELETIONS = 1000;

/** The connections that the kernel tracks, by conntrack(8). */
export class Conntrack {
  readonly #program: string;
  readonly #prefix: readonly string[];

  constructor({ program = 'conntrack', prefix = [] }: ConntrackOptions = {}) {
    this.#program = program;
    this.#prefix = prefix;
  }

  /** The UDP flows of a family that pass the test. */
  async udpFlows(family: Family, isWanted: (flow: Flow) => boolean): Promise<readonly Flow[]> {
    const flows: Flow[] = [];
    await this.#run(['-L', '-p', 'udp', '-f', family], (line) => {
      const flow = readFlow(line);
      if (flow !== undefined && isWanted(flow)) flows.push(flow);
    });
    return flows;
  }

  /** Deletes UDP flows; all that go to the same destination and have the same answer go together. Returns how many there were. */
  async deleteUdp(family: Family, flows: readonly Flow[]): Promise<number> {
    const kinds = new Map(flows.map((flow) => [filtersOf(flow).join(' '), filtersOf(flow)]));
    let deleted = 0;
    for (const filters of [...kinds.values()].slice(0, MAX_DELETIONS)) {
      const errors = await this.#run(['-D', '-p', 'udp', '-f', family, ...filters], () => undefined);
      deleted += Number(/(\d+) flow entries have been deleted/.exec(errors)?.[1] ?? 0);
    }
    return deleted;
  }

  /** What it prints to standard error. It exits with 1 when there is nothing to delete. */
  #run(args: readonly string[], onLine: (line: string) => void): Promise<string> {
    return new Promise((resolve, reject) => {
      const [program = this.#program, ...all] = [...this.#prefix, this.#program, ...args];
      const child = spawn(program, all, { stdio: ['ignore', 'pipe', 'pipe'], timeout: LIMIT_MS });
      createInterface({ input: child.stdout }).on('line', onLine);
      let errors = '';
      child.stderr.setEncoding('utf8').on('data', (text: string) => {
        if (errors.length < MAX_ERRORS) errors += text.slice(0, MAX_ERRORS - errors.length);
      });
      child.once('error', (cause) =>
        reject(new Error(`Cannot run "${this.#program}": ${cause.message}; install conntrack`, { cause })),
      );
      child.once('close', (code, signal) => {
        if (code === 0 || / 0 flow entries/.test(errors)) resolve(errors);
        else
          reject(new Error(`conntrack ${args.join(' ')} failed: ${signal ?? `exit code ${code}`}: ${errors.trim()}`));
      });
    });
  }
}

function filtersOf({ destination, destinationPort, answerSource, answerPort }: Flow): readonly string[] {
  return [
    ...['--orig-dst', destination, '--orig-port-dst', `${destinationPort}`],
    ...['--reply-src', answerSource, '--reply-port-src', `${answerPort}`],
  ];
}
