import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { brotliCompressSync, brotliDecompressSync } from 'node:zlib';
import type { KubernetesVersion } from '../../src/base/index.ts';
import type { Outline } from './outline.ts';

/** What each release has, as `npm run versions -- --record` found it. */
export type Recorded = Readonly<Record<KubernetesVersion, Outline & { readonly release: string }>>;

const file = join(import.meta.dirname, 'recorded.json.br');

export function readRecorded(): Recorded {
  return JSON.parse(brotliDecompressSync(readFileSync(file)).toString('utf8')) as Recorded;
}

export function writeRecorded(recorded: Recorded): void {
  writeFileSync(file, brotliCompressSync(JSON.stringify(recorded)));
}
