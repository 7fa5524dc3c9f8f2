import { expect, test } from 'vitest';
import { DEFAULT_TRANSPORT_LIMITS, transportLimits } from './limits.ts';

test('times of the options are durations, and absent or undefined limits have their defaults', () => {
  const limits = transportLimits({ requestTimeout: '1m30s', drainTime: 250, maxStreams: 7, idleTimeout: undefined });

  expect(limits).toEqual({ ...DEFAULT_TRANSPORT_LIMITS, requestTimeoutMs: 90_000, drainMs: 250, maxStreams: 7 });
});
