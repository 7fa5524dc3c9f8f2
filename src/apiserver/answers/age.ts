import { humanDuration } from '../../base/index.ts';

/** How long ago a timestamp is, in few words. A time that was never set may be printed as null. */
export function ageSince(timestamp: string | null | undefined, now: number): string {
  if (timestamp === undefined || timestamp === null) return '<unknown>';
  return humanDuration(now - Date.parse(timestamp));
}
