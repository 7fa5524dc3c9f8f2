import type { Status } from '../../api/client.ts';
import { aborted, type Clock, millisecondsOf, RealClock } from '../../base/index.ts';
import type { Answer, Call, Interference } from '../../cluster/index.ts';
import { type ResourceRequest, resourceRequest } from '../resource-request.ts';
import { BUSY, FAULT_HEADER, refusalOf } from './fault-answer.ts';
import type { FaultRules, RequestRule } from './fault-rules.ts';
import { passOn } from './fault-watch.ts';

export interface FaultArrivalsParts {
  readonly rules: FaultRules;
  /** Gives the Lease of a request to another holder. */
  readonly takeLease: (request: ResourceRequest, holder: string) => Promise<void>;
}

type Next = (call: Call) => Promise<Answer>;
type Wire = NonNullable<Call['wire']>;

/**
 * Injects the faults of a cluster into requests over the network; requests of this process pass through
 * `faultTransport`.
 */
export function faultArrivals(parts: FaultArrivalsParts): Interference {
  const clock = new RealClock(); // clients over the network run in real time
  return (call, next) => {
    const { wire } = call;
    if (wire === undefined || (parts.rules.isEmpty && call.info.verb !== 'watch')) return next(call);
    const request = resourceRequest({ method: call.request.method, path: call.request.uri });
    return request === undefined ? next(call) : arrive({ call, wire, request, next, clock, ...parts });
  };
}

interface Arrival extends FaultArrivalsParts {
  readonly call: Call;
  readonly wire: Wire;
  readonly request: ResourceRequest;
  readonly next: Next;
  readonly clock: Clock;
}

async function arrive(arrival: Arrival): Promise<Answer> {
  const { call, request, rules, next, clock } = arrival;
  const sender = { user: call.principal.user.name, program: programOf(call) };
  const rule = rules.strike(sender, request);
  const answer = await (rule === undefined ? next(call) : struck(arrival, rule));
  if (answer.type !== 'watch') return answer;
  const left = new AbortController();
  call.record.onFinish(() => left.abort());
  const scope = { signal: call.request.signal, abort: () => arrival.wire.stopWork() };
  const parts = { rules, clock, sender, request, signal: left.signal, scope, rule };
  const events = passOn(answer.events, parts, (status: Status) => [{ type: 'ERROR' as const, status }]);
  return { ...answer, events: untilCut(events, arrival.wire) };
}

/** The name of a program in its `User-Agent`: `kubectl` for `kubectl/v1.36.0 (linux/amd64)`. */
function programOf(call: Call): string {
  return call.request.header('user-agent')?.split('/', 1)[0] ?? '';
}

async function* untilCut<T>(events: AsyncIterable<T>, wire: Wire): AsyncGenerator<T> {
  try {
    yield* events;
  } catch {
    wire.cut('The connection is lost'); // by a fault, or because the client has left
  }
}

async function struck(arrival: Arrival, rule: RequestRule): Promise<Answer> {
  const { call, wire, request, next, clock, takeLease } = arrival;
  const { fault } = rule;
  if (fault.type === 'tooManyRequests') {
    const headers = { 'retry-after': String(fault.retryAfterSeconds ?? 1), [FAULT_HEADER]: fault.type };
    return { type: 'bytes', code: 429, contentType: 'text/plain; charset=utf-8', body: BUSY, headers };
  }
  const refusal = refusalOf(fault, request);
  if (refusal?.body.type === 'object')
    return { type: 'status', status: refusal.body.object as Status, headers: { [FAULT_HEADER]: fault.type } };
  switch (fault.type) {
    case 'latency':
      await clock.sleep(millisecondsOf(fault.delay), call.request.signal);
      return next(call);
    case 'late': {
      const answer = await next(call);
      if (request.verb !== 'watch') await clock.sleep(millisecondsOf(fault.delay), call.request.signal);
      return answer;
    }
    case 'lostAnswer':
      await next(call);
      return lost(call, wire);
    case 'dropped':
      return lost(call, wire);
    case 'silent':
      return request.verb === 'watch' ? next(call) : lost(call, undefined);
    case 'staleRead':
      return rule.past?.answer(call) ?? next(call);
    case 'lostLease':
      await takeLease(request, fault.holder ?? 'another-holder');
      return next(call);
    default:
      return next(call);
  }
}

/** Gives no answer: the connection breaks, or stays silent until the client gives up. */
async function lost(call: Call, wire: Wire | undefined): Promise<Answer> {
  wire?.cut('The connection is lost by a fault');
  await aborted(call.request.signal);
  return { type: 'bytes', code: 503, contentType: '', body: '' }; // never sent
}
