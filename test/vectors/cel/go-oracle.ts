// Kubernetes' own CEL as a program to ask: built from the Go files here.
import { spawn, spawnSync } from 'node:child_process';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Task } from './tasks.ts';
import type { Outcome } from './uses.ts';
import type { Answer } from './worlds.ts';

/** The program, and the folder with its sources and worlds. */
export interface Oracle {
  readonly ok: true;
  readonly path: string;
  readonly folder: string;
}

/** Builds the program; or why that cannot be done. */
export function buildOracle(folder: string): Oracle | { readonly ok: false; readonly reason: string } {
  if (spawnSync('go', ['version']).error !== undefined) return { ok: false, reason: 'there is no go here' };
  const path = join(mkdtempSync(join(tmpdir(), 'keelson-cel-')), 'vectors');
  const built = spawnSync('go', ['build', '-p', '1', '-o', path, '.'], { cwd: folder });
  return built.status === 0 ? { ok: true, path, folder } : { ok: false, reason: built.stderr.toString() };
}

export interface Question {
  readonly world: string;
  readonly expr: string;
}

/** Asks about expressions in order. */
export async function askGo({ path, folder }: Oracle, questions: readonly Question[]): Promise<Answer[]> {
  return (await run(path, ['answer', join(folder, 'worlds.json')], questions)) as Answer[];
}

/** What compiling and evaluating an expression takes. */
export interface Timing {
  readonly compileNs: number;
  readonly evalNs: number;
}

/** Measures expressions in order, on one core, in the worlds of a file. */
export async function timeGo({ path }: Oracle, worlds: string, questions: readonly Question[]): Promise<Timing[]> {
  return (await run(path, ['bench', worlds], questions)) as Timing[];
}

/** Has tasks carried out in order. */
export async function askUses({ path }: Oracle, tasks: readonly Task[]): Promise<Outcome[]> {
  return (await run(path, ['uses'], tasks)) as Outcome[];
}

/** All functions of the environment with their signatures. */
export async function askDeclarations({ path }: Oracle): Promise<unknown[]> {
  return run(path, ['declarations'], []);
}

async function run(path: string, args: readonly string[], input: readonly unknown[]): Promise<unknown[]> {
  const env = args[0] === 'bench' ? { ...process.env, GOMAXPROCS: '1' } : process.env;
  const child = spawn(path, args, { stdio: ['pipe', 'pipe', 'inherit'], env });
  const answers: unknown[] = [];
  const lines = createInterface({ input: child.stdout });
  lines.on('line', (line) => answers.push(JSON.parse(line)));
  const ended = new Promise<number | null>((resolve) => child.once('close', resolve));
  child.stdin.end(input.map((each) => `${JSON.stringify(each)}\n`).join(''));
  const status = await ended;
  if (status !== 0) throw new Error(`Cannot ask Go: the program ended with ${status} after ${answers.length} answers`);
  return answers;
}
