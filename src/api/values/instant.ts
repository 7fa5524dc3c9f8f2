/** A moment: seconds since the Unix epoch (negative before it), and 0 to 999,999,999 nanoseconds after that second. */
export interface Instant {
  readonly seconds: number;
  readonly nanos: number;
}

/** Go's zero time, 0001-01-01T00:00:00Z. The API writes it as null. */
export const ZERO_INSTANT: Instant = Object.freeze({ seconds: -62_135_596_800, nanos: 0 });

export function isZeroInstant(instant: Instant): boolean {
  return instant.seconds === ZERO_INSTANT.seconds && instant.nanos === 0;
}

/** The moment of a clock's milliseconds since the Unix epoch, to the microsecond. */
export function instantOfMillis(millis: number): Instant {
  const micros = Math.floor(millis * 1000);
  const seconds = Math.floor(micros / 1e6);
  return { seconds, nanos: (micros - seconds * 1e6) * 1000 };
}

/** Milliseconds since the Unix epoch, including a fraction. */
export function millisOf(instant: Instant): number {
  return instant.seconds * 1000 + instant.nanos / 1e6;
}
