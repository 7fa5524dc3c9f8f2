import { formatTime, instantOfMillis, millisOf, parseTime, ValueError } from '../../api/index.ts';

/** A clock's milliseconds as `metadata` writes times. */
export function timestamp(millis: number): string {
  return formatTime(instantOfMillis(millis));
}

/** The milliseconds of a time that the server wrote itself. */
export function millisOfTimestamp(text: string): number {
  const instant = parseTime(text);
  if (instant instanceof ValueError) throw instant;
  return millisOf(instant);
}
