import { expect, test } from 'vitest';
import { SeededRandom } from '../../base/index.ts';
import { generateSample } from './generate-sample.ts';
import type { Structural } from './schema-words.ts';
import { textOfPattern } from './text-of-pattern.ts';

const made = (schema: Structural, count = 200): unknown[] => {
  const random = new SeededRandom('made-up');
  return Array.from({ length: count }, () => generateSample(schema, random));
};

test.each([
  String.raw`^(\d+|\*)(/\d+)?(\s+(\d+|\*)(/\d+)?){4}$`,
  '^[a-z0-9]([-a-z0-9]*[a-z0-9])?$',
  '^(?:v1|v2)-[^abc]{2,}$',
  String.raw`^\w+@\S+\.example$`,
  '^a.?b*?c+$',
])('texts of %s match it', (pattern) => {
  const random = new SeededRandom(pattern);
  const texts = Array.from({ length: 100 }, () => textOfPattern(pattern, random));
  for (const text of texts) expect(text).toMatch(new RegExp(pattern));
  expect(new Set(texts).size).toBeGreaterThan(3);
});

test('patterns that are not supported make no text', () => {
  const random = new SeededRandom('x');
  for (const pattern of [String.raw`\p{L}`, '(?i)a', 'a)', '(a', '[]a]', '((a{64}){64}){64}', String.raw`(a)\1`])
    expect(textOfPattern(pattern, random)).toBeUndefined();
});

test('values stay within their bounds, and reach them', () => {
  const numbers = made({ type: 'integer', minimum: 1, maximum: 9 }) as number[];
  expect([Math.min(...numbers), Math.max(...numbers)]).toEqual([1, 9]);
  const steps = made({ type: 'integer', minimum: 1, exclusiveMinimum: true, maximum: 12, multipleOf: 4 }) as number[];
  expect([...new Set(steps)].sort((left, right) => left - right)).toEqual([4, 8, 12]);
  const texts = made({ type: 'string', minLength: 2, maxLength: 4 }) as string[];
  expect([...new Set(texts.map(({ length }) => length))].sort()).toEqual([2, 3, 4]);
  expect(new Set(made({ type: 'string', enum: ['a', null], nullable: true }))).toEqual(new Set(['a', null]));
});

test('alternatives and maps are generated as their schemas say', () => {
  const schema: Structural = {
    type: 'object',
    required: ['t'],
    properties: { t: { type: 'string', enum: ['a', 'b'] }, x: { type: 'string' }, y: { type: 'integer' } },
    oneOf: [
      { required: ['x'], properties: { t: { enum: ['a'] } } },
      { required: ['y'], properties: { t: { enum: ['b'] } } },
    ],
  };
  const values = made(schema) as { t: string; x?: string; y?: number }[];
  for (const { t, x, y } of values) expect(t === 'a' ? x : y).toBeDefined();
  expect(new Set(values.map(({ t }) => t))).toEqual(new Set(['a', 'b']));
  const maps = made({ type: 'object', additionalProperties: { type: 'boolean' }, minProperties: 1 }) as object[];
  for (const map of maps) expect(Object.values(map).length).toBeGreaterThan(0);
});
