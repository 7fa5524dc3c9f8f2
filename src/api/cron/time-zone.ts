const MINUTE_MS = 60_000;

/** Whether this machine knows a time zone of this name. */
export function isTimeZone(name: string): boolean {
  if (name === '' || name === 'UTC') return true;
  try {
    void new Intl.DateTimeFormat('en', { timeZone: name });
    return true;
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
