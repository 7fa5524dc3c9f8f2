import { humanDuration } from '../../base/index.ts';

/** The time since a timestamp, in short form such as `5d`. A timestamp that was never set may be null. */
export function ageSince(timestamp: string | null | undefined, now: number): string {
  if (timestamp === undefined || timestamp === null) return '<unknown>';
  return humanDuration(now - Date.parse(timestamp));
}
