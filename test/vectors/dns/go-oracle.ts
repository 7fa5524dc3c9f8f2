// miekg/dns as a program to ask: built from the Go file here.
import { spawn, spawnSync } from 'node:child_process';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Verdict } from './compare.ts';

export interface Asked {
  /** The message, in base64. */
  readonly bytes: string;
  /** The size that the message is cut to. */
  readonly size: number;
}

/** Builds the program; or why that cannot be done. */
export function buildOracle(): { readonly path: string } | { readonly reason: string } {
  if (spawnSync('go', ['version']).error !== undefined) return { reason: 'there is no go here' };
  const path = join(mkdtempSync(join(tmpdir(), 'keelson-dns-')), 'vectors');
  const built = spawnSync('go', ['build', '-o', path, '.'], { cwd: import.meta.dirname });
  return built.status === 0 ? { path } : { reason: built.stderr.toString() };
}

/** What Go says about messages, in order. */
export async function askGo(path: string, asked: readonly Asked[]): Promise<Verdict[]> {
  const child = spawn(path, { stdio: ['pipe', 'pipe', 'inherit'] });
  const verdicts: Verdict[] = [];
  createInterface({ input: child.stdout }).on('line', (line) => verdicts.push(JSON.parse(line) as Verdict));
  const ended = new Promise<number | null>((resolve) => child.once('close', resolve));
  child.stdin.end(asked.map((each) => `${JSON.stringify(each)}\n`).join(''));
  const status = await ended;
  if (status !== 0) throw new Error(`Cannot ask Go: the program ended with ${status} after ${verdicts.length} answers`);
  return verdicts;
}
