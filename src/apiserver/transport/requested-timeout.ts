import { badRequest } from '../../api/index.ts';
import { DurationError, parseGoDuration } from '../../base/index.ts';
import type { LazyCall } from './lazy-call.ts';

/** The `timeout` parameter in milliseconds; undefined when the client does not set it. Throws a Status of 400. */
export function requestedTimeoutMs(call: LazyCall): number | undefined {
  if (!call.queryText.includes('timeout=')) return undefined;
  const text = call.query.get('timeout');
  if (text === '') return undefined;
  const ms = Number(nanoseconds(text)) / 1e6;
  return ms > 0 ? ms : undefined;
}

function nanoseconds(text: string): bigint {
  try {
    return parseGoDuration(text);
  } catch (cause) {
    if (!(cause instanceof DurationError)) throw cause;
    throw badRequest(`invalid timeout specified in the request URL - ${cause.message}`, { cause });
  }
}
