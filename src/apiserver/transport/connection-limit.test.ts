import assert from 'node:assert/strict';
import { expect, test } from 'vitest';
import { connectionLimits, maxOpenFiles } from './connection-limit.ts';

test.each([
  ['20,000 files', 20_000, 15_000, 7_500],
  ['1,024 files', 1_024, 768, 384],
  ['100 files', 100, 36, 18],
  ['no limit on files', Infinity, 20_000, 10_000],
])('with %s there is room for the store beside the connections', (_name, files, inAll, ofAnAddress) => {
  const limits = { maxConnections: inAll, maxConnectionsPerAddress: ofAnAddress };
  assert.deepEqual(connectionLimits(20_000, files), limits);
});

test('the limit on open files can be read', () => {
  expect(maxOpenFiles()).toBeGreaterThan(64);
});
