import { spawn } from 'node:child_process';
import { ADMIN_TOKEN } from '../../peers/index.ts';

export interface LoadOptions {
  readonly url: string;
  readonly requests: number;
  readonly connections: number;
  /** Requests at once on each connection. */
  readonly streams?: number;
  readonly method?: string;
  readonly contentType?: string;
  /** A file with the body. */
  readonly bodyFile?: string;
}

export interface LoadResult {
  readonly perSecond: number;
  readonly mbPerSecond: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
}

/** Runs h2load against one URL; every answer must be a success. */
export async function load(options: LoadOptions): Promise<LoadResult> {
  const logFile = `/tmp/keelson-h2load-${process.pid}.log`;
  const args = [
    '-n',
    String(options.requests),
    '-c',
    String(Math.min(options.connections, options.requests)),
    '-m',
    String(options.streams ?? 1),
    '-H',
    `authorization: Bearer ${ADMIN_TOKEN}`,
    '--log-file',
    logFile,
    ...(options.method === undefined ? [] : ['-H', `:method: ${options.method}`]),
    ...(options.contentType === undefined ? [] : ['-H', `content-type: ${options.contentType}`]),
    ...(options.bodyFile === undefined ? [] : ['-d', options.bodyFile]),
    options.url,
  ];
  const output = await run('h2load', args);
  const rate = /finished in [^,]+, ([\d.]+) req\/s, ([\d.]+)(K|M|G)?B\/s/.exec(output);
  const good = /status codes: (\d+) 2xx/.exec(output);
  if (rate === null || Number(good?.[1]) !== options.requests)
    throw new Error(`load on ${options.url} failed:\n${output}`);
  const scale = { K: 1 / 1024, M: 1, G: 1024 }[rate[3] ?? 'K'] ?? 1 / 1024 / 1024;
  const times = await latencies(logFile);
  return {
    perSecond: Number(rate[1]),
    mbPerSecond: Number(rate[2]) * scale,
    p50Ms: times[Math.floor(times.length * 0.5)] ?? 0,
    p99Ms: times[Math.floor(times.length * 0.99)] ?? 0,
  };
}

/** Each line of h2load's log: start time, status, microseconds. */
async function latencies(path: string): Promise<number[]> {
  const { readFile, rm } = await import('node:fs/promises');
  const lines = (await readFile(path, 'utf8')).trim().split('\n');
  await rm(path);
  return lines.map((line) => Number(line.split('\t')[2]) / 1000).sort((a, b) => a - b);
}

function run(command: string, args: readonly string[]): Promise<string> {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, { stdio: ['ignore', 'pipe', 'pipe'] });
    let output = '';
    child.stdout.on('data', (chunk: Buffer) => (output += chunk.toString()));
    child.stderr.on('data', (chunk: Buffer) => (output += chunk.toString()));
    child.on('error', reject);
    child.on('close', () => resolve(output));
  });
}
