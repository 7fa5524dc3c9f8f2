import type { Status } from '../../api/client.ts';
import { type AbortScope, type Clock, millisecondsOf } from '../../base/index.ts';
import { type TransportBody, TransportError } from '../../client/index.ts';
import type { ResourceRequest } from '../resource-request.ts';
import { forgotten } from './fault-answer.ts';
import type { FaultRules, RequestRule } from './fault-rules.ts';
import type { Sender } from './fault-target.ts';

/** The longest watch of client-go. */
const MAX_WATCH_MS = 600_000;

export interface FaultWatchParts {
  readonly rules: FaultRules;
  readonly clock: Clock;
  readonly sender: Sender;
  readonly request: ResourceRequest;
  /** The caller's signal. */
  readonly signal: AbortSignal;
  /** Ends the watch at the server. */
  readonly scope: Pick<AbortScope, 'signal' | 'abort'> & Partial<Disposable>;
  /** The fault that was injected when the watch began. */
  readonly rule: RequestRule | undefined;
}

/** The body of a watch, into which faults may be injected while it is read. */
export function watchWithFaults(body: TransportBody, parts: FaultWatchParts): TransportBody {
  switch (body.type) {
    case 'object':
      return body;
    case 'events':
      return { type: 'events', batches: passOn(body.batches, parts, (status) => [{ type: 'ERROR', status }]) };
    case 'bytes': {
      const line = (object: Status): Uint8Array => Buffer.from(`${JSON.stringify({ type: 'ERROR', object })}\n`);
      return { type: 'bytes', chunks: passOn(body.chunks, parts, line) };
    }
  }
}

/** Passes events on until a fault ends the watch. */
export async function* passOn<T>(
  items: AsyncIterable<T>,
  parts: FaultWatchParts,
  errorOf: (status: Status) => T,
): AsyncGenerator<T> {
  const { rules, clock, sender, request, signal, scope } = parts;
  let struckBy: RequestRule | undefined;
  const strike = (rule: RequestRule): void => {
    struckBy ??= rule;
    scope.abort(new TransportError('cut', 'Lost the connection'));
  };
  using _open = rules.opened({ sender, request, strike });
  if (parts.rule !== undefined && endsWatches(parts.rule)) strike(parts.rule);
  try {
    for await (const item of items) {
      const late = rules.isEmpty ? undefined : (atStart(parts) ?? rules.strike(sender, request, ['late']));
      if (late !== undefined) await clock.sleep(delayOf(late), signal);
      if (scope.signal.aborted) break;
      yield item;
    }
  } catch (error) {
    if (struckBy === undefined) throw error;
  } finally {
    scope[Symbol.dispose]?.();
  }
  if (struckBy?.fault.type === 'expired') yield errorOf(forgotten(request));
  else if (struckBy !== undefined) await breakOff(struckBy, parts);
  signal.throwIfAborted();
}

/** The fault that delays the whole watch. */
function atStart({ rule }: FaultWatchParts): RequestRule | undefined {
  return rule?.fault.type === 'late' ? rule : undefined;
}

function endsWatches({ fault }: RequestRule): boolean {
  return fault.type === 'dropped' || fault.type === 'expired' || fault.type === 'silent';
}

/** The delay of an event. */
function delayOf({ fault }: RequestRule): number {
  return fault.type === 'late' ? millisecondsOf(fault.delay) : 0;
}

async function breakOff({ fault }: RequestRule, { clock, request, signal }: FaultWatchParts): Promise<never> {
  if (fault.type === 'silent') await clock.sleep(silenceMs(request), signal);
  signal.throwIfAborted();
  throw new TransportError('cut', 'Lost the connection');
}

/** The time after which a silent connection breaks. */
function silenceMs({ query }: ResourceRequest): number {
  const seconds = Number(query.get('timeoutSeconds') ?? MAX_WATCH_MS / 1000);
  return Math.min(seconds * 1000, MAX_WATCH_MS);
}
