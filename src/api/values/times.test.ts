import assert from 'node:assert/strict';
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { instantOfMillis, millisOf, ZERO_INSTANT } from './instant.ts';
import { canonicalMicroTime, canonicalTime, formatMicroTime, formatTime, parseMicroTime, parseTime } from './times.ts';

const seconds = fc.integer({ min: ZERO_INSTANT.seconds + 1, max: 253_402_300_799 });
const micros = fc.integer({ min: 0, max: 999_999 });

describe('a Time', () => {
  test('parses what it printed, unchanged', () => {
    fc.assert(
      fc.property(seconds, (moment) => {
        const printed = formatTime({ seconds: moment, nanos: 0 });
        assert.deepEqual(parseTime(printed), { seconds: moment, nanos: 0 });
        assert.equal(canonicalTime(printed), printed);
        assert.equal(printed, new Date(moment * 1000).toISOString().replace('.000Z', 'Z'));
      }),
    );
  });

  test('drops its fraction and its zone', () => {
    expect(canonicalTime('2026-03-01T00:30:00.999+01:00')).toBe('2026-02-28T23:30:00Z');
    expect(canonicalTime('1969-12-31T23:59:59.5Z')).toBe('1969-12-31T23:59:59Z');
  });

  test('is the same moment in every zone', () => {
    fc.assert(
      fc.property(
        seconds,
        fc.integer({ min: -23, max: 23 }),
        fc.integer({ min: 0, max: 59 }),
        (moment, hours, minutes) => {
          const east = Math.sign(hours) * (Math.abs(hours) * 3600 + minutes * 60);
          const local = new Date((moment + east) * 1000).toISOString();
          if (!/^\d{4}-/.test(local)) return; // a zone can push the year out of range
          const zone = `${hours < 0 ? '-' : '+'}${two(Math.abs(hours))}:${hours === 0 ? '00' : two(minutes)}`;
          assert.deepEqual(parseTime(local.replace(/\.000Z$/, zone)), { seconds: moment, nanos: 0 });
        },
      ),
    );
  });
});

describe('a MicroTime', () => {
  test('parses what it printed, unchanged', () => {
    fc.assert(
      fc.property(seconds, micros, (moment, fraction) => {
        const instant = { seconds: moment, nanos: fraction * 1000 };
        const printed = formatMicroTime(instant);
        assert.deepEqual(parseMicroTime(printed), instant);
        assert.equal(canonicalMicroTime(printed), printed);
      }),
    );
  });
});

test('the zero time is null', () => {
  expect(canonicalTime('0001-01-01T00:00:00Z')).toBe(null);
  expect(canonicalTime('0001-01-01T01:00:00+01:00')).toBe(null);
  expect(canonicalMicroTime('0001-01-01T00:00:00.000000Z')).toBe(null);
});

test('milliseconds of a clock round-trip', () => {
  fc.assert(
    fc.property(fc.integer({ min: -(10 ** 12), max: 10 ** 13 }), (millis) => {
      assert.equal(millisOf(instantOfMillis(millis)), millis);
    }),
  );
  expect(formatMicroTime(instantOfMillis(1_700_000_000_123))).toBe('2023-11-14T22:13:20.123000Z');
  expect(formatTime(instantOfMillis(-1))).toBe('1969-12-31T23:59:59Z');
});

test('an invalid time is quoted once, and truncated if it is long', () => {
  const text = '\u0001'.repeat(100_000);
  const quoted = `"${'\\x01'.repeat(4096)}... (95904 more)"`;

  expect(canonicalTime(text)).toMatchObject({
    message: `parsing time ${quoted} as "2006-01-02T15:04:05Z07:00": cannot parse ${quoted} as "2006"`,
  });
});

function two(value: number): string {
  return String(value).padStart(2, '0');
}
