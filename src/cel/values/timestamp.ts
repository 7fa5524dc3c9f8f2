import { type Instant, parseTime, ValueError } from '../../api/values/index.ts';
import { Boxed, TIMESTAMP, type Type } from '../type-terms/index.ts';
import { Duration } from './duration.ts';
import { CelError } from './failure.ts';
import { MAX_INT, MIN_INT } from './int.ts';

const FIRST_SECOND = -62_135_596_800;
const LAST_SECOND = 253_402_300_799;

/** A moment between the years 1 and 9999, to the nanosecond. It remembers the zone that it was written in. */
export class Timestamp extends Boxed {
  readonly instant: Instant;
  /** Seconds east of UTC; only shown when printed. */
  readonly offset: number;

  constructor(instant: Instant, offset = 0) {
    super();
    this.instant = instant;
    this.offset = offset;
  }

  get goName(): string {
    return 'types.Timestamp';
  }

  override get type(): Type {
    return TIMESTAMP;
  }

  get nanos(): bigint {
    return BigInt(this.instant.seconds) * 1_000_000_000n + BigInt(this.instant.nanos);
  }

  /** RFC 3339 with as many digits of a second as there are, in its own zone. */
  override toString(): string {
    const local = new Date((this.instant.seconds + this.offset) * 1000).toISOString();
    const date = local.startsWith('+') || local.startsWith('-') ? goYear(local) : local.slice(0, 19);
    const fraction =
      this.instant.nanos === 0 ? '' : `.${String(this.instant.nanos).padStart(9, '0').replace(/0+$/, '')}`;
    return date + fraction + this.#zone();
  }

  #zone(): string {
    if (this.offset === 0) return 'Z';
    const minutes = Math.floor(Math.abs(this.offset) / 60);
    const two = (number: number): string => String(number).padStart(2, '0');
    return `${this.offset < 0 ? '-' : '+'}${two(Math.floor(minutes / 60))}:${two(minutes % 60)}`;
  }
}

/** Years outside 0 to 9999, which a zone can bring about at the edges, as Go prints them. */
function goYear(printed: string): string {
  const year = String(Number(printed.slice(1, 7))).padStart(4, '0');
  return `${printed.startsWith('-') ? '-' : ''}${year}${printed.slice(7, 22)}`;
}

/** A moment in seconds since the Unix epoch. */
export function timestampOfSeconds(seconds: number | bigint): Timestamp | CelError {
  if (seconds < FIRST_SECOND || seconds > LAST_SECOND) return new CelError('timestamp overflow');
  return new Timestamp({ seconds: Number(seconds), nanos: 0 });
}

/** Reads an RFC 3339 time; nothing when it is none. */
export function parseTimestamp(text: string): Timestamp | CelError | undefined {
  const instant = parseTime(text);
  if (instant instanceof ValueError) return undefined;
  if (instant.seconds < FIRST_SECOND || instant.seconds > LAST_SECOND) return new CelError('timestamp overflow');
  const [, sign, hours, minutes] = /([+-])(\d\d):(\d\d)$/.exec(text) ?? [];
  const offset = sign === undefined ? 0 : (Number(hours) * 60 + Number(minutes)) * 60;
  return new Timestamp(instant, sign === '-' ? 0 - offset : offset);
}

export function addDuration(timestamp: Timestamp, nanos: bigint): Timestamp | CelError {
  const total = timestamp.nanos + nanos;
  let seconds = total / 1_000_000_000n;
  let rest = total % 1_000_000_000n;
  if (rest < 0n) {
    rest += 1_000_000_000n;
    seconds -= 1n;
  }
  if (seconds < FIRST_SECOND || seconds > LAST_SECOND) return new CelError('timestamp overflow');
  return new Timestamp({ seconds: Number(seconds), nanos: Number(rest) }, timestamp.offset);
}

/** The time from `right` to `left`. */
export function subtractTimestamps(left: Timestamp, right: Timestamp): Duration | CelError {
  const nanos = left.nanos - right.nanos;
  return nanos > MAX_INT || nanos < MIN_INT ? new CelError('integer overflow') : new Duration(nanos);
}
