// dnsperf against one server, and what the server used meanwhile.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpuMsOf, rssMbOf } from '../process-use.ts';

export interface LoadResult {
  readonly perSecond: number;
  readonly meanMs: number;
  readonly lost: number;
  /** Processor time of the server for one answer. */
  readonly microseconds: number;
  readonly rssMb: number;
}

export interface LoadOptions {
  readonly pid: number;
  readonly port: number;
  /** A file of questions. */
  readonly questions: string;
  readonly seconds: number;
  /** Questions on their way at once. */
  readonly outstanding: number;
  /** Default UDP. */
  readonly isTcp?: boolean;
  /** Questions a second at most; default no limit. */
  readonly perSecond?: number;
}

/** Asks for some seconds, and reads what dnsperf prints. */
export async function runLoad(options: LoadOptions): Promise<LoadResult> {
  const { pid, port, questions, seconds, outstanding, isTcp = false, perSecond } = options;
  const args = ['-s', '127.0.0.1', '-p', String(port), '-d', questions, '-l', String(seconds)];
  args.push('-q', String(outstanding), '-c', '8', '-e', '-m', isTcp ? 'tcp' : 'udp');
  if (perSecond !== undefined) args.push('-Q', String(perSecond));
  const before = cpuMsOf(pid);
  const output = await run('dnsperf', args);
  const usedMs = cpuMsOf(pid) - before;
  const figure = (pattern: RegExp): number => Number(pattern.exec(output)?.[1] ?? Number.NaN);
  const completed = figure(/Queries completed:\s+(\d+)/);
  if (!(completed > 0)) throw new Error(`dnsperf got no answers:\n${output}`);
  return {
    perSecond: figure(/Queries per second:\s+([0-9.]+)/),
    meanMs: 1000 * figure(/Average Latency \(s\):\s+([0-9.]+)/),
    lost: figure(/Queries lost:\s+(\d+)/),
    microseconds: (1000 * usedMs) / completed,
    rssMb: rssMbOf(pid),
  };
}

async function run(command: string, args: readonly string[]): Promise<string> {
  const child = spawn(command, args, { stdio: ['ignore', 'pipe', 'pipe'] });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk: Buffer) => (output += chunk.toString()));
  await once(child, 'close');
  return output;
}
