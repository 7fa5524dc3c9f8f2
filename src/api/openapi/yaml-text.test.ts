import * as fc from 'fast-check';
import { load } from 'js-yaml';
import { expect, test } from 'vitest';
import { yamlText } from './yaml-text.ts';

test.each([
  ['get', 'get\n'],
  ['', '""\n'],
  ['*', "'*'\n"],
  ['true', '"true"\n'],
  ['10', '"10"\n'],
  ['merge,retainKeys', 'merge,retainKeys\n'],
  [true, 'true\n'],
  [[], '[]\n'],
  [[{ group: '', kind: 'Pod' }], '- group: ""\n  kind: Pod\n'],
  [{ a: { b: ['c', { d: 1 }] } }, 'a:\n    b:\n        - c\n        - d: 1\n'],
])('yamlText(%j) is written as gnostic does', (value, text) => {
  expect(yamlText(value)).toBe(text);
});

test('yamlText() round-trips', () => {
  fc.assert(
    fc.property(fc.jsonValue({ maxDepth: 4 }), (value) => {
      fc.pre(!JSON.stringify(value).includes('__proto__') && !JSON.stringify(value).includes('-0'));
      expect(load(yamlText(value))).toEqual(JSON.parse(JSON.stringify(value)));
    }),
  );
});
