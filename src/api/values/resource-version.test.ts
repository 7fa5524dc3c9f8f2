import assert from 'node:assert/strict';
import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  compareResourceVersions,
  formatResourceVersion,
  parseObjectResourceVersion,
  parseResourceVersion,
} from './resource-version.ts';
import { ValueError } from './value-error.ts';

test('a revision round-trips through its resourceVersion', () => {
  fc.assert(
    fc.property(fc.nat(Number.MAX_SAFE_INTEGER), (revision) => {
      assert.equal(parseResourceVersion(formatResourceVersion(revision)), revision);
    }),
  );
  expect(formatResourceVersion(0)).toBe('');
});

test('versions of any length are ordered as numbers', () => {
  const version = fc.bigInt({ min: 1n, max: 10n ** 40n });
  fc.assert(
    fc.property(version, version, (left, right) => {
      const order = left < right ? -1 : left > right ? 1 : 0;
      assert.equal(compareResourceVersions(String(left), String(right)), order);
    }),
  );
});

test('an invalid version is refused, with the field named only outside of objects', () => {
  const problem = 'strconv.ParseUint: parsing "abc": invalid syntax';
  expect(parseResourceVersion('abc')).toEqual(new ValueError(`resourceVersion: Invalid value: "abc": ${problem}`));
  expect(parseObjectResourceVersion('abc')).toEqual(new ValueError(problem));
  expect(parseObjectResourceVersion('')).toBe(0);
  expect(parseObjectResourceVersion('12')).toBe(12);
});

test('a version beyond any store is larger than all of its versions', () => {
  expect(parseResourceVersion('18446744073709551615')).toBe(2 ** 64);
});
