import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** What became of a pod that an extender had a say about. */
export interface RecordedExtender {
  readonly name: string;
  /** What the extender was asked, in short. */
  readonly asked: readonly unknown[];
  readonly node?: string;
  readonly reason?: string;
  readonly message?: string;
}

export function readRecordedExtenders(): readonly RecordedExtender[] {
  const text = readFileSync(join(import.meta.dirname, 'extenders.json'), 'utf8');
  return JSON.parse(text) as RecordedExtender[];
}
