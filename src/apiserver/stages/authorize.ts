import { quoteGo } from '../../api/index.ts';
import type { AccessDecision, AccessRequest, Authorizer } from '../access/authorizer.ts';
import { escapeHtml, refusal } from '../access/refusal.ts';
import type { BytesAnswer, EncodedAnswer } from '../answers/answer.ts';
import type { AccessMetrics, AuthorizationResult } from '../metrics/access-metrics.ts';
import type { Call } from '../request/call.ts';
import type { IncomingRequest } from '../request/incoming-request.ts';
import type { UserInfo } from '../request/principal.ts';
import type { RequestInfo } from '../request/request-info.ts';
import type { Encode, Stage } from './stage.ts';

/** Lets requests pass that an authorizer allows. */
export function authorize(authorizer: Authorizer, encode: Encode, metrics: AccessMetrics): Stage {
  const refuse = (call: Call, decision: AccessDecision): EncodedAnswer => {
    if (decision.error !== undefined) return encode(undecided(call.request, decision.error), call);
    return encode(
      {
        type: 'status',
        status: refusal({ user: call.principal.user, info: call.info }, decision.reason).status,
        headers: NO_SNIFFING,
      },
      call,
    );
  };
  const note = ({ record }: Call, decision: AccessDecision, start: number): void => {
    record.trace?.stage?.explainedBy(decision);
    metrics.authorized(resultOf(decision), start);
    if (record.audit !== undefined) {
      record.annotations.add('authorization.k8s.io/decision', decision.verdict === 'allow' ? 'allow' : 'forbid');
      record.annotations.add('authorization.k8s.io/reason', decision.reason);
    }
  };
  return (call, next) => {
    const start = metrics.now();
    const goOn = (decision: AccessDecision): EncodedAnswer | Promise<EncodedAnswer> => {
      note(call, decision, start);
      return decision.verdict === 'allow' ? next(call) : refuse(call, decision);
    };
    const asked = authorizer.authorize(new CallAccess(call));
    return asked instanceof Promise ? asked.then(goOn) : goOn(asked);
  };
}

/** The access that a call requests. Its signal and trace are created on first use, because few authorizers need them. */
class CallAccess implements AccessRequest {
  readonly user: UserInfo;
  readonly info: RequestInfo;
  readonly #call: Call;

  constructor(call: Call) {
    this.user = call.principal.user;
    this.info = call.info;
    this.#call = call;
  }

  get signal(): AbortSignal {
    return this.#call.request.signal;
  }

  get trace(): AccessRequest['trace'] {
    return this.#call.record.trace;
  }
}

function resultOf({ verdict, error }: AccessDecision): AuthorizationResult {
  return verdict !== 'allow' && error !== undefined ? 'error' : RESULTS[verdict];
}

/** No authorizer allowed the request, and one that might have could not be asked. */
function undecided({ uri }: IncomingRequest, error: string): BytesAnswer {
  const text = escapeHtml(`Internal Server Error: ${quoteGo(uri)}: ${error}`);
  const contentType = 'text/plain; charset=utf-8';
  return { type: 'bytes', code: 500, contentType, body: `${text}\n`, headers: NO_SNIFFING };
}

const RESULTS = { allow: 'allowed', deny: 'denied', noOpinion: 'no-opinion' } as const;

/** The message quotes the client's text, which browsers must not interpret as HTML. */
const NO_SNIFFING = { 'x-content-type-options': 'nosniff' };
