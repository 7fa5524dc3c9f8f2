import { expect, test } from 'vitest';
import { allAtOnce } from '../../base/index.ts';
import { encodeJson } from './encode-json.ts';
import { jsonEncoding } from './json-encoding.ts';

const many = Array.from({ length: 10_000 }, (_unused, index) => [`key${index}`, index % 7 === 0 ? `<${index}` : index]);

test.each<[string, unknown]>([
  ['texts and numbers', { a: 'x', b: 1.5, c: true, d: null }],
  ['nothing', {}],
  ['empty parts', { a: {}, b: [], c: { d: [{}] } }],
  ['members that are undefined', { a: undefined, b: { c: undefined }, d: 1, e: undefined }],
  ['items that are undefined', { a: [undefined, 1, null] }],
  ['a large map', { a: Object.fromEntries(many), b: 1 }],
  ['a large map of undefined members', Object.fromEntries(many.map(([key]) => [key, undefined]))],
  ['a large list', { a: many, b: [[many]] }],
  ['a map of one more than a small one', Object.fromEntries(many.slice(0, 65))],
  ['what Go escapes', { '<': ['&', '\u2028'] }],
  ['a name that is special', JSON.parse('{"__proto__":{"a":1},"b":2}')],
  ['bigints', { a: 9223372036854775807n, b: '#1', ...Object.fromEntries(many) }],
])('%s are printed as they are at once', (_name, value) => {
  expect(allAtOnce(jsonEncoding(value))).toBe(encodeJson(value));
});

test('a large map takes several steps', () => {
  const steps = jsonEncoding({ a: Object.fromEntries(many) });
  let count = 0;
  while (steps.next().done !== true) count += 1;
  expect(count).toBe(2);
});
