const SECOND_MS = 1000;
const MINUTE_MS = 60 * SECOND_MS;
const HOUR_MS = 60 * MINUTE_MS;
const DAYS_A_YEAR = 365;

/**
 * A duration in the two or three digits that matter: `45s`, `7m30s`, `3h5m`, `2d4h`, `400d`, `3y12d`. Up to two seconds in
 * the future count as 0, since the clocks of two machines differ.
 */
export function humanDuration(ms: number): string {
  const seconds = Math.trunc(ms / SECOND_MS);
  if (seconds < -1) return '<invalid>';
  if (seconds < 120) return `${Math.max(seconds, 0)}s`;
  const minutes = Math.floor(ms / MINUTE_MS);
  if (minutes < 10) return pair(minutes, 'm', seconds % 60, 's');
  if (minutes < 180) return `${minutes}m`;
  const hours = Math.floor(ms / HOUR_MS);
  if (hours < 8) return pair(hours, 'h', minutes % 60, 'm');
  if (hours < 48) return `${hours}h`;
  const days = Math.floor(hours / 24);
  if (days < 8) return pair(days, 'd', hours % 24, 'h');
  if (days < 2 * DAYS_A_YEAR) return `${days}d`;
  const years = Math.floor(days / DAYS_A_YEAR);
  return years < 8 ? pair(years, 'y', days % DAYS_A_YEAR, 'd') : `${years}y`;
}

/** Omits the smaller unit when its value is 0. */
function pair(large: number, largeUnit: string, small: number, smallUnit: string): string {
  return small === 0 ? `${large}${largeUnit}` : `${large}${largeUnit}${small}${smallUnit}`;
}
