import { formatTime, instantOfMillis, millisOf, parseTime, ValueError } from '../values/index.ts';

/** The last formatted second, cached: most writes of a busy server fall into it. */
let last = { seconds: -1, text: '' };

/** Formats a clock's milliseconds as in `metadata`: whole seconds. */
export function timestamp(millis: number): string {
  const seconds = Math.floor(millis / 1000);
  if (seconds !== last.seconds) last = { seconds, text: formatTime(instantOfMillis(seconds * 1000)) };
  return last.text;
}

/** The milliseconds of a time that the server itself wrote. */
export function millisOfTimestamp(text: string): number {
  const instant = parseTime(text);
  if (instant instanceof ValueError) throw instant;
  return millisOf(instant);
}
