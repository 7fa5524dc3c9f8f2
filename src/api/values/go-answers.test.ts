import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, test } from 'vitest';
import { answer } from './testdata/go-questions.ts';

/** Long texts that repeat are stored once in `texts` and referenced as `{ text: index }`. */
interface GoAnswers {
  readonly texts: readonly string[];
  readonly answers: Readonly<Record<string, readonly (readonly [args: unknown[], answer: unknown])[]>>;
}

const file = new URL('./testdata/go-answers.json', import.meta.url);
const { texts, answers } = JSON.parse(readFileSync(file, 'utf8')) as GoAnswers;

describe('answers like apimachinery 0.36 in Go', () => {
  for (const [question, rows] of Object.entries(answers)) {
    test(`${question} answers ${rows.length} inputs as Go does`, () => {
      for (const [packedArgs, packedAnswer] of rows) {
        const args = unpack(packedArgs) as unknown[];
        const ours: unknown = JSON.parse(JSON.stringify(answer(question, args)));
        assert.deepEqual(ours, unpack(packedAnswer), `${question}(${JSON.stringify(args)})`);
      }
    });
  }
});

function unpack(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(unpack);
  if (typeof value !== 'object' || value === null) return value;
  if ('text' in value && typeof value.text === 'number') return texts[value.text];
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, unpack(item)]));
}
