import { describe, expect, test } from 'vitest';
import { applyJsonPatch, JsonPatchError } from './index.ts';

const document = Object.freeze({ a: { b: [1, 2, 3] }, list: [], null: null });

describe('applyJsonPatch', () => {
  test.each([
    ['adds a member', [{ op: 'add', path: '/a/c', value: 1 }], { ...document, a: { b: [1, 2, 3], c: 1 } }],
    ['inserts into a list', [{ op: 'add', path: '/a/b/1', value: 9 }], { ...document, a: { b: [1, 9, 2, 3] } }],
    ['appends to a list', [{ op: 'add', path: '/list/-', value: 9 }], { ...document, list: [9] }],
    ['counts negative indexes from the end', [{ op: 'remove', path: '/a/b/-1' }], { ...document, a: { b: [1, 2] } }],
    ['replaces an absent member by adding it', [{ op: 'replace', path: '/new', value: 1 }], { ...document, new: 1 }],
    ['moves', [{ op: 'move', from: '/a/b', path: '/list/0' }], { ...document, a: {}, list: [[1, 2, 3]] }],
    ['copies', [{ op: 'copy', from: '/a/b/0', path: '/a/c' }], { ...document, a: { b: [1, 2, 3], c: 1 } }],
    ['unescapes pointers', [{ op: 'add', path: '/a~1b~0c', value: 1 }], { ...document, 'a/b~c': 1 }],
    ['tests an absent member against nothing', [{ op: 'test', path: '/nope' }], document],
    ['replaces the whole document', [{ op: 'replace', path: '', value: { x: 1 } }], { x: 1 }],
  ])('%s', (_name, patch, expected) => {
    expect(applyJsonPatch(document, patch)).toEqual(expected);
  });

  test.each([
    [
      [{ op: 'add', path: '/x/y', value: 1 }],
      'add operation does not apply: doc is missing path: "/x/y": missing value',
    ],
    [
      [{ op: 'remove', path: '/x' }],
      "error in remove for path: '/x': Unable to remove nonexistent key: x: missing value",
    ],
    [
      [{ op: 'add', path: '/a/b/9', value: 1 }],
      "error in add for path: '/a/b/9': Unable to access invalid index: 9: invalid index referenced",
    ],
    [[{ op: 'test', path: '/a/b/0', value: 2 }], 'testing value /a/b/0 failed: test failed'],
    [[{ op: 'frob', path: '/a' }], 'Unexpected kind: frob'],
    [[null], 'Unexpected kind: unknown'],
    [[{ op: 'remove' }], 'remove operation failed to decode path: missing value'],
  ])('refuses %j', (patch, message) => {
    expect(() => applyJsonPatch(document, patch)).toThrow(new JsonPatchError(message));
  });

  test('stops a patch that copies itself larger and larger', () => {
    const bomb = Array.from({ length: 40 }, (_, index) => ({ op: 'copy', from: '/a', path: `/a/c${index}` }));
    expect(() => applyJsonPatch({ a: { text: 'x'.repeat(1000) } }, bomb)).toThrow(/exceeding the limit 3145728/);
  });

  test('keeps "__proto__" an ordinary member', () => {
    const patched = applyJsonPatch({}, [{ op: 'add', path: '/__proto__', value: { polluted: true } }]) as object;
    expect(Object.hasOwn(patched, '__proto__')).toBe(true);
    expect('polluted' in {}).toBe(false);
  });
});
