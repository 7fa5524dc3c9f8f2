import fc from 'fast-check';
import { expect, test } from 'vitest';
import { applyJsonPatch } from './index.ts';
import { jsonPatchBetween } from './json-patch-between.ts';

test('jsonPatchBetween() adds, replaces and removes members', () => {
  const before = { kept: [1, { a: 1 }], gone: true, list: [1], 'a/b~c': 1 };
  const after = { kept: [1, { a: 2 }], list: [1, 2], 'a/b~c': 2, new: null };
  expect(jsonPatchBetween(before, after)).toEqual([
    { op: 'remove', path: '/gone' },
    { op: 'replace', path: '/kept/1/a', value: 2 },
    { op: 'replace', path: '/list', value: [1, 2] },
    { op: 'replace', path: '/a~1b~0c', value: 2 },
    { op: 'add', path: '/new', value: null },
  ]);
});

test('names of inherited members are ordinary members', () => {
  expect(jsonPatchBetween({ valueOf: 1 }, {})).toEqual([{ op: 'remove', path: '/valueOf' }]);
  expect(jsonPatchBetween({}, { valueOf: 1 })).toEqual([{ op: 'add', path: '/valueOf', value: 1 }]);
});

test('members that are undefined count as absent', () => {
  expect(jsonPatchBetween({ a: 1 }, { a: undefined, b: undefined })).toEqual([{ op: 'remove', path: '/a' }]);
});

test('applying the patch to one gives the other', () => {
  const json = fc
    .dictionary(fc.string({ minLength: 1 }), fc.jsonValue())
    .map((value) => JSON.parse(JSON.stringify(value)));
  fc.assert(
    fc.property(json, json, (before: object, after: object) => {
      expect(applyJsonPatch(before, jsonPatchBetween(before, after))).toEqual(after);
    }),
  );
});
