/** The largest number of seconds that Go's time.Duration, which counts nanoseconds in 64 bits, can hold. */
const MAX_GO_SECONDS = 9_223_372_036;

/**
 * The milliseconds of a field in seconds, as Kubernetes computes them: `time.Duration(seconds) * time.Second`, which wraps
 * around above 292 years. 9223372036854775807 seconds are -1000 ms.
 *
 * Fields of 64 bits are bigints above 2^53; their TypeScript type does not say so.
 */
export function millisOfGoSeconds(seconds: number | bigint): number {
  if (seconds <= MAX_GO_SECONDS && seconds >= -MAX_GO_SECONDS) return Number(seconds) * 1000;
  return Number(BigInt.asIntN(64, BigInt(seconds) * 1_000_000_000n)) / 1e6;
}

/** The number nearest to a field of 64 bits, for arithmetic that needs no exact digits. */
export function numberOfInt64(value: number | bigint): number {
  return Number(value);
}
