import { expect, test } from 'vitest';
import { hasReliableProgress } from './progress-support.ts';

test.each([
  ['3.3.27', false],
  ['3.4.0', false],
  ['3.4.30', false],
  ['3.4.31', true],
  ['3.5.0', false],
  ['3.5.12', false],
  ['3.5.13', true],
  ['3.5.20-rc.1', true],
  ['3.6.0', true],
  ['3.7.3', true],
  ['4.0.0', true],
  ['2.3.8', false],
  ['unknown', false],
  [undefined, false],
])('progress of etcd %s is trusted: %s', (version, isTrusted) => {
  expect(hasReliableProgress(version)).toBe(isTrusted);
});
