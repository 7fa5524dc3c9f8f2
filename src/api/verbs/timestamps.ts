import { formatTime, instantOfMillis, millisOf, parseTime, ValueError } from '../values/index.ts';

/** A clock's milliseconds as `metadata` writes times: whole seconds. */
export function timestamp(millis: number): string {
  return formatTime(instantOfMillis(Math.floor(millis / 1000) * 1000));
}

/** The milliseconds of a time that the server wrote itself. */
export function millisOfTimestamp(text: string): number {
  const instant = parseTime(text);
  if (instant instanceof ValueError) throw instant;
  return millisOf(instant);
}
