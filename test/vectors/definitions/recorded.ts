import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import type { Answer } from './answer.ts';

export const ANSWERS = join(import.meta.dirname, 'answers.jsonl.gz');

export function readAnswers(): Answer[] {
  if (!existsSync(ANSWERS)) return [];
  const text = gunzipSync(readFileSync(ANSWERS)).toString('utf8');
  return text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as Answer);
}

export function packed(answers: readonly Answer[]): Buffer {
  return gzipSync(answers.map((answer) => `${JSON.stringify(answer)}\n`).join(''), { level: 9 });
}
