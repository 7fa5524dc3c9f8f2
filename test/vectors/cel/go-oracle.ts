// Kubernetes' own CEL as a program to ask: built from the Go files here.
import { spawn, spawnSync } from 'node:child_process';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Answer } from './worlds.ts';

/** Builds the program; the path of it, or why that cannot be done. */
export function buildOracle():
  | { readonly ok: true; readonly path: string }
  | { readonly ok: false; readonly reason: string } {
  if (spawnSync('go', ['version']).error !== undefined) return { ok: false, reason: 'there is no go here' };
  const path = join(mkdtempSync(join(tmpdir(), 'keelson-cel-')), 'vectors');
  const built = spawnSync('go', ['build', '-o', path, '.'], { cwd: import.meta.dirname });
  return built.status === 0 ? { ok: true, path } : { ok: false, reason: built.stderr.toString() };
}

export interface Question {
  readonly world: string;
  readonly expr: string;
}

/** Asks about expressions in order. `mode` bench gives timings instead. */
export async function askGo<T = Answer>(
  path: string,
  questions: readonly Question[],
  mode: 'answer' | 'bench' = 'answer',
): Promise<T[]> {
  const child = spawn(path, [mode, join(import.meta.dirname, 'worlds.json')], { stdio: ['pipe', 'pipe', 'inherit'] });
  const answers: T[] = [];
  const lines = createInterface({ input: child.stdout });
  lines.on('line', (line) => answers.push(JSON.parse(line) as T));
  const ended = new Promise<number | null>((resolve) => child.once('close', resolve));
  child.stdin.end(questions.map((question) => `${JSON.stringify(question)}\n`).join(''));
  const status = await ended;
  if (status !== 0) throw new Error(`Cannot ask Go: the program ended with ${status} after ${answers.length} answers`);
  return answers;
}
