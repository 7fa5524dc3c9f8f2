import { describe, expect, test } from 'vitest';
import { humanDuration } from '../../base/index.ts';
import { ageSince } from './age.ts';

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

describe('humanDuration()', () => {
  test.each([
    [-2 * SECOND, '<invalid>'],
    [-1.5 * SECOND, '0s'],
    [0, '0s'],
    [999, '0s'],
    [119.9 * SECOND, '119s'],
    [2 * MINUTE, '2m'],
    [2 * MINUTE + 5 * SECOND, '2m5s'],
    [10 * MINUTE - 1, '9m59s'],
    [10 * MINUTE, '10m'],
    [3 * HOUR - 1, '179m'],
    [3 * HOUR, '3h'],
    [3 * HOUR + 5 * MINUTE, '3h5m'],
    [8 * HOUR - 1, '7h59m'],
    [8 * HOUR, '8h'],
    [2 * DAY - 1, '47h'],
    [2 * DAY, '2d'],
    [2 * DAY + 4 * HOUR, '2d4h'],
    [8 * DAY - 1, '7d23h'],
    [8 * DAY, '8d'],
    [730 * DAY - 1, '729d'],
    [730 * DAY, '2y'],
    [731 * DAY, '2y1d'],
    [8 * 365 * DAY - 1, '7y364d'],
    [8 * 365 * DAY + DAY, '8y'],
  ])('%d ms are %s', (ms, expected) => {
    expect(humanDuration(ms)).toBe(expected);
  });
});

describe('ageSince()', () => {
  test('is <unknown> without a timestamp', () => {
    expect(ageSince(undefined, 0)).toBe('<unknown>');
    expect(ageSince(null, 0)).toBe('<unknown>');
  });

  test('accepts microseconds', () => {
    expect(ageSince('2026-01-01T00:00:00.123456Z', Date.parse('2026-01-01T00:05:00Z'))).toBe('4m59s');
  });
});
