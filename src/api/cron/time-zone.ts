const MINUTE_MS = 60_000;

/** How other names for zones are written, such as "US/Pacific", "GB-Eire", "EST5EDT" and "Etc/GMT+5". */
const SPELLING = /^(US|[A-Z][a-z]+)\/[A-Z]|^[A-Z][^/]*$/;

/** Whether this machine knows a time zone of this name. */
export function isTimeZone(name: string): boolean {
  if (name === '' || name === 'UTC') return true;
  try {
    const known = new Intl.DateTimeFormat('en', { timeZone: name }).resolvedOptions().timeZone;
    // The data that Go reads are files, whose names have one spelling; Intl takes any, and hides that of other names for a zone.
    return known === name || (known.toLowerCase() !== name.toLowerCase() && SPELLING.test(name));
  } catch {
    return false; // Intl throws for an unknown zone
  }
}

/** The offset of a time zone from UTC at a time, in milliseconds. */
export type ZoneOffset = (ms: number) => number;

/** The offset function of a known time zone. */
export function zoneOffset(name: string): ZoneOffset {
  if (name === '' || name === 'UTC') return () => 0;
  const format = new Intl.DateTimeFormat('en-US', {
    timeZone: name,
    hourCycle: 'h23',
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
    hour: 'numeric',
    minute: 'numeric',
  });
  return (ms) => {
    const parts = new Map(format.formatToParts(ms).map(({ type, value }) => [type, Number(value)]));
    const part = (type: Intl.DateTimeFormatPartTypes): number => parts.get(type) ?? 0;
    const local = Date.UTC(part('year'), part('month') - 1, part('day'), part('hour'), part('minute'));
    return local - Math.floor(ms / MINUTE_MS) * MINUTE_MS;
  };
}

/** A time in a time zone: `2026-07-01T14:00:00+02:00`. */
export function formatZoned(ms: number, offset: ZoneOffset): string {
  const aheadMs = offset(ms);
  const local = new Date(ms + aheadMs).toISOString().slice(0, 19);
  if (aheadMs === 0) return `${local}Z`;
  const minutes = Math.abs(aheadMs) / MINUTE_MS;
  const two = (value: number): string => String(value).padStart(2, '0');
  return `${local}${aheadMs < 0 ? '-' : '+'}${two(Math.floor(minutes / 60))}:${two(minutes % 60)}`;
}
