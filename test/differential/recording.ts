import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import { type Case, caseId } from './case.ts';
import type { NormalAnswer } from './normalize.ts';

/** What the real server answered to a case. */
export interface Recording {
  readonly case: string;
  /** Of the case's text when it was recorded. */
  readonly digest: string;
  /** One a step; null for setup. */
  readonly answers: readonly (NormalAnswer | null)[];
}

const FOLDER = join(import.meta.dirname, 'recorded');

/** The recordings of a topic by case; empty when there are none yet. */
export function readRecordings(topic: string, folder = FOLDER): Map<string, Recording> {
  const path = join(folder, `${topic}.jsonl.gz`);
  if (!existsSync(path)) return new Map();
  const lines = gunzipSync(readFileSync(path)).toString('utf8').trimEnd().split('\n');
  const recordings = lines.map((line) => JSON.parse(line) as Recording);
  return new Map(recordings.map((recording) => [recording.case, recording]));
}

/** Writes a topic's recordings in the order of its cases; those of cases that are gone are dropped. */
export function writeRecordings(
  cases: readonly Case[],
  recordings: ReadonlyMap<string, Recording>,
  folder = FOLDER,
): void {
  const topic = cases[0]?.topic;
  if (topic === undefined) return;
  const lines = cases.flatMap((played) => {
    const recording = recordings.get(caseId(played));
    return recording === undefined ? [] : [`${JSON.stringify(recording)}\n`];
  });
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, `${topic}.jsonl.gz`), gzipSync(lines.join(''), { level: 9 }));
}
