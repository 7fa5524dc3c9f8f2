import type { Authorizer } from '../access/authorizer.ts';
import { refusal } from '../access/refusal.ts';
import type { AccessMetrics } from '../metrics/access-metrics.ts';
import type { Encode, Stage } from './stage.ts';

/** Lets through what an authorizer allows. */
export function authorize(authorizer: Authorizer, encode: Encode, metrics: AccessMetrics): Stage {
  return async (call, next) => {
    const start = metrics.now();
    const asked = authorizer.authorize(call);
    const decision = asked instanceof Promise ? await asked : asked;
    metrics.authorized(RESULTS[decision.verdict], start);
    if (call.audit !== undefined) {
      call.annotations.add('authorization.k8s.io/decision', decision.verdict === 'allow' ? 'allow' : 'forbid');
      call.annotations.add('authorization.k8s.io/reason', decision.reason);
    }
    if (decision.verdict === 'allow') return next(call);
    return encode({ type: 'status', status: refusal(call, decision.reason).status, headers: NO_SNIFFING }, call);
  };
}

const RESULTS = { allow: 'allowed', deny: 'denied', noOpinion: 'no-opinion' } as const;

/** The message quotes what the client sent, so nothing in it may be taken for HTML. */
const NO_SNIFFING = { 'x-content-type-options': 'nosniff' };
