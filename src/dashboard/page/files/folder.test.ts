import { expect, test } from 'vitest';
import { entriesOf, normalPath, textOf } from './folder.ts';

test('folders are listed first, each in the order of names, and lines that are no entries are left out', () => {
  expect(entriesOf('f b\nd z\nd a b\no socket\nf a\nwhat\n')).toEqual([
    { type: 'folder', name: 'a b' },
    { type: 'folder', name: 'z' },
    { type: 'file', name: 'a' },
    { type: 'file', name: 'b' },
    { type: 'other', name: 'socket' },
  ]);
});

test.each([
  ['/', '/'],
  ['', '/'],
  ['/etc//./ssl/../hosts', '/etc/hosts'],
  ['/../..', '/'],
])('%j is the path %j', (path, normal) => {
  expect(normalPath(path)).toBe(normal);
});

test('contents are text only if all their bytes are', () => {
  expect(textOf(new TextEncoder().encode('größer\n'))).toBe('größer\n');
  expect(textOf(new Uint8Array([0xff, 0xfe]))).toBeUndefined();
  expect(textOf(new Uint8Array([65, 0, 66]))).toBeUndefined();
});
