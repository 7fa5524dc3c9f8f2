import { quoteGo } from '../../api/index.ts';
import type { AccessDecision, Authorizer } from '../access/authorizer.ts';
import { escapeHtml, refusal } from '../access/refusal.ts';
import type { BytesAnswer, EncodedAnswer } from '../answers/answer.ts';
import type { AccessMetrics, AuthorizationResult } from '../metrics/access-metrics.ts';
import type { Call } from '../request/call.ts';
import type { Encode, Stage } from './stage.ts';

/** Lets through what an authorizer allows. */
export function authorize(authorizer: Authorizer, encode: Encode, metrics: AccessMetrics): Stage {
  const refuse = (call: Call, decision: AccessDecision): EncodedAnswer => {
    if (decision.error !== undefined) return encode(undecided(call, decision.error), call);
    return encode({ type: 'status', status: refusal(call, decision.reason).status, headers: NO_SNIFFING }, call);
  };
  const note = (call: Call, decision: AccessDecision, start: number): void => {
    if (call.trace !== undefined && decision.reason !== '') call.trace.stage?.tell({ reason: decision.reason });
    metrics.authorized(resultOf(decision), start);
    if (call.audit !== undefined) {
      call.annotations.add('authorization.k8s.io/decision', decision.verdict === 'allow' ? 'allow' : 'forbid');
      call.annotations.add('authorization.k8s.io/reason', decision.reason);
    }
  };
  return (call, next) => {
    const start = metrics.now();
    const goOn = (decision: AccessDecision): EncodedAnswer | Promise<EncodedAnswer> => {
      note(call, decision, start);
      return decision.verdict === 'allow' ? next(call) : refuse(call, decision);
    };
    const asked = authorizer.authorize(call);
    return asked instanceof Promise ? asked.then(goOn) : goOn(asked);
  };
}

function resultOf({ verdict, error }: AccessDecision): AuthorizationResult {
  return verdict !== 'allow' && error !== undefined ? 'error' : RESULTS[verdict];
}

/** Nobody allowed the request, and somebody who might have could not be asked. */
function undecided({ requestUri }: Call, error: string): BytesAnswer {
  const text = escapeHtml(`Internal Server Error: ${quoteGo(requestUri)}: ${error}`);
  const contentType = 'text/plain; charset=utf-8';
  return { type: 'bytes', code: 500, contentType, body: `${text}\n`, headers: NO_SNIFFING };
}

const RESULTS = { allow: 'allowed', deny: 'denied', noOpinion: 'no-opinion' } as const;

/** The message quotes what the client sent, so nothing in it may be taken for HTML. */
const NO_SNIFFING = { 'x-content-type-options': 'nosniff' };
