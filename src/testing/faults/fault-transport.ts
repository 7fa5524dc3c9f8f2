import { AbortScope, type Clock, type Duration, millisecondsOf, onAbort } from '../../base/index.ts';
import { type Transport, TransportError, type TransportRequest, type TransportResponse } from '../../client/index.ts';
import { type ResourceRequest, resourceRequest } from '../resource-request.ts';
import { refusalOf } from './fault-answer.ts';
import type { FaultRules, RequestRule } from './fault-rules.ts';
import { watchWithFaults } from './fault-watch.ts';

export interface FaultTransportParts {
  readonly rules: FaultRules;
  readonly clock: Clock;
  readonly user: string;
  readonly groups: readonly string[];
  /** The program that sends a request; default by its whole `User-Agent`, which apps of this process have as their name. */
  readonly programOf?: (request: TransportRequest) => string;
  /** Gives the Lease of a request to another holder. */
  readonly takeLease: (request: ResourceRequest, holder: string) => Promise<void>;
}

/** Injects the faults of a cluster into the requests of a transport. */
export function faultTransport(inner: Transport, parts: FaultTransportParts): Transport {
  return {
    ...(inner.isLocal === undefined ? {} : { isLocal: inner.isLocal }),
    ...(inner.values === undefined ? {} : { values: inner.values }),
    send: (request) => (parts.rules.isEmpty && !isWatch(request) ? inner.send(request) : sendTo(inner, request, parts)),
    [Symbol.asyncDispose]: () => inner[Symbol.asyncDispose](),
  };
}

function isWatch({ path }: TransportRequest): boolean {
  return path.includes('watch=');
}

async function sendTo(
  inner: Transport,
  sent: TransportRequest,
  parts: FaultTransportParts,
): Promise<TransportResponse> {
  const request = resourceRequest(sent);
  if (request === undefined) return inner.send(sent);
  const { rules, clock, user, programOf: nameOf = programOf } = parts;
  const sender = { user, program: nameOf(sent) };
  const rule = rules.strike(sender, request);
  if (request.verb !== 'watch')
    return rule === undefined ? inner.send(sent) : struck(inner, sent, { rule, request, parts });
  const scope = new AbortScope(sent.signal); // until the watch ends
  const scoped = { ...sent, signal: scope.signal };
  try {
    const response = await (rule === undefined ? inner.send(scoped) : struck(inner, scoped, { rule, request, parts }));
    if (response.status === 200) {
      const { signal } = sent;
      const watch = { rules, clock, request, sender, signal, scope, rule };
      return { ...response, body: watchWithFaults(response.body, watch) };
    }
    scope[Symbol.dispose]();
    return response;
  } catch (error) {
    scope[Symbol.dispose]();
    throw error;
  }
}

export function programOf({ headers }: TransportRequest): string {
  const agent = headers['user-agent'] ?? '';
  return typeof agent === 'string' ? agent : (agent[0] ?? '');
}

interface Struck {
  readonly rule: RequestRule;
  readonly request: ResourceRequest;
  readonly parts: FaultTransportParts;
}

async function struck(
  inner: Transport,
  sent: TransportRequest,
  { rule, request, parts }: Struck,
): Promise<TransportResponse> {
  const { clock, user, groups } = parts;
  const { fault } = rule;
  const refusal = refusalOf(fault, request);
  if (refusal !== undefined) return refusal;
  switch (fault.type) {
    case 'latency':
      await sleep(clock, fault.delay, sent.signal);
      return inner.send(sent);
    case 'late': {
      const response = await inner.send(sent);
      if (request.verb !== 'watch') await sleep(clock, fault.delay, sent.signal);
      return response;
    }
    case 'dropped':
      throw new TransportError('cut', 'Lost the connection: connect ECONNREFUSED');
    case 'lostAnswer':
      await inner.send(sent);
      throw new TransportError('cut', 'Lost the connection before the answer');
    case 'silent':
      return request.verb === 'watch' ? inner.send(sent) : silence(sent.signal);
    case 'staleRead':
      return rule.past?.transportOf(user, groups).send(sent) ?? inner.send(sent);
    case 'lostLease':
      await parts.takeLease(request, fault.holder ?? 'another-holder');
      return inner.send(sent);
    default:
      return inner.send(sent);
  }
}

/** Never answers; rejects when the caller aborts. */
function silence(signal: AbortSignal): Promise<never> {
  return new Promise((_resolve, reject) => {
    const stop = (): void => reject(signal.reason as Error);
    if (signal.aborted) stop();
    else onAbort(signal, stop);
  });
}

async function sleep(clock: Clock, delay: Duration, signal: AbortSignal): Promise<void> {
  await clock.sleep(millisecondsOf(delay), signal);
  signal.throwIfAborted();
}
