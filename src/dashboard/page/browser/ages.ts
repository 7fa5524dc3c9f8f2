/** A span of time as kubectl writes it: `45s`, `3m20s`, `5h`, `2d4h`. */
export function formatSpan(ms: number): string {
  const seconds = Math.max(0, Math.floor(ms / 1000));
  if (seconds < 120) return `${seconds}s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 10) return withRest(minutes, 'm', seconds % 60, 's');
  if (minutes < 180) return `${minutes}m`;
  const hours = Math.floor(minutes / 60);
  if (hours < 8) return withRest(hours, 'h', minutes % 60, 'm');
  if (hours < 48) return `${hours}h`;
  const days = Math.floor(hours / 24);
  if (days < 8) return withRest(days, 'd', hours % 24, 'h');
  if (days < 730) return `${days}d`;
  return withRest(Math.floor(days / 365), 'y', days % 365, 'd');
}

function withRest(count: number, unit: string, rest: number, restUnit: string): string {
  return rest === 0 ? `${count}${unit}` : `${count}${unit}${rest}${restUnit}`;
}

/** How long something took: `40 µs`, `0.4 ms`, `12 ms`, `1.25 s`, `3m20s`. */
export function formatDuration(ms: number): string {
  if (ms < 0.1) return `${Math.round(ms * 1000)} µs`;
  if (ms < 10) return `${ms.toFixed(1)} ms`;
  if (ms < 1000) return `${Math.round(ms)} ms`;
  if (ms < 60_000) return `${(ms / 1000).toFixed(2)} s`;
  return formatSpan(ms);
}

/** The time of day with milliseconds, in the browser's zone. */
export function formatTime(timestamp: string | number): string {
  const date = new Date(timestamp);
  if (Number.isNaN(date.getTime())) return String(timestamp);
  const part = (value: number, width = 2): string => String(value).padStart(width, '0');
  return `${part(date.getHours())}:${part(date.getMinutes())}:${part(date.getSeconds())}.${part(date.getMilliseconds(), 3)}`;
}
