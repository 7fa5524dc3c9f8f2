import { expect, test } from 'vitest';
import { findPeer } from '../../peers/index.ts';
import { skipWhen } from '../../src/base/testing/requires.ts';
import { runH2spec } from './run-h2spec.ts';

const peer = findPeer('h2spec');

test('h2spec finds nothing wrong', skipWhen(peer.path === undefined, 'h2spec not built'), async () => {
  const { output, passed, failed } = await runH2spec(peer.path ?? '');
  expect(failed, output).toBe(0);
  expect(passed).toBeGreaterThan(140);
});
