import { formatSpan, formatTime } from '../browser/ages.ts';
import { now, second } from '../browser/clock.ts';

/** How long ago something was, counting on. */
export function Age({ since, at }: { readonly since: number | string | undefined; readonly at?: number | undefined }) {
  if (since === undefined || since === 0 || since === '') return <span>–</span>;
  const time = typeof since === 'number' ? since : Date.parse(since);
  void second.value;
  return <time title={formatTime(time)}>{formatSpan((at ?? now()) - time)}</time>;
}
