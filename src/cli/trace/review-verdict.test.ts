import { expect, test } from 'vitest';
import { reviewVerdict } from './review-verdict.ts';

const patchOf = (...operations: readonly object[]): string =>
  Buffer.from(JSON.stringify(operations)).toString('base64');

test.each<[string, unknown, string | undefined]>([
  ['an allowing answer', { allowed: true }, 'allowed'],
  ['a denying answer', { allowed: false, status: { code: 403, message: 'too large' } }, 'denied: too large'],
  ['a reason alone', { allowed: false, status: { reason: 'Forbidden' } }, 'denied: Forbidden'],
  ['a change', { allowed: true, patch: patchOf({ op: 'remove', path: '/a' }) }, 'allowed, 1 change'],
  ['changes', { allowed: true, patch: patchOf({}, {}) }, 'allowed, 2 changes'],
  ['a broken patch', { allowed: true, patch: '!' }, 'allowed, with a patch that cannot be read'],
  ['warnings', { allowed: true, warnings: ['old'] }, 'allowed, warning: old'],
  ['no decision', { allowed: 'yes' }, undefined],
])('the verdict of %s', (_name, response, verdict) => {
  expect(reviewVerdict(JSON.stringify({ response }))).toBe(verdict);
});

test('what is no review has no verdict', () => {
  expect([undefined, '', 'null', '[]', '<html>'].map(reviewVerdict)).toEqual(Array(5).fill(undefined));
});
