import type { NonResourceRule, ResourceRule } from '../../api/types/authorization/v1.d.ts';
import type { TraceStep } from '../trace/request-trace.ts';
import type { UserInfo } from '../request/principal.ts';
import type { RequestInfo } from '../request/request-info.ts';

/** What authorizers decide on. */
export interface AccessRequest {
  readonly user: UserInfo;
  readonly info: RequestInfo;
  /** Aborts when the caller no longer waits for the decision. */
  readonly signal: AbortSignal;
  /** Where a traced request records each authorizer's decision. */
  readonly trace?: { readonly stage: TraceStep | undefined } | undefined;
}

/** The verdict of an authorizer, with the reason for it. */
export interface AccessDecision {
  /** `noOpinion` passes the request to the next authorizer; when all have no opinion, it is refused. */
  readonly verdict: 'allow' | 'deny' | 'noOpinion';
  /** Why, for the message and the audit log; may be empty. */
  readonly reason: string;
  /** The error that occurred while deciding, if any. */
  readonly error?: string;
}

/** The decision that passes a request to the next authorizer. */
export const NO_OPINION: AccessDecision = { verdict: 'noOpinion', reason: '' };

/** Decides whether a user may do something. Authorizers that need only data of this process answer synchronously. */
export interface Authorizer {
  /** The authorizer's name in traces of requests. */
  readonly name?: string;
  authorize(request: AccessRequest): AccessDecision | Promise<AccessDecision>;
}

/** What a user may do in a namespace, as far as it can be listed. */
export interface AccessRules {
  readonly resourceRules: readonly ResourceRule[];
  readonly nonResourceRules: readonly NonResourceRule[];
  /** Whether some rules could not be listed; `problem` says why. */
  readonly isIncomplete: boolean;
  readonly problem?: string;
}

/** An authorizer that can also list what a user may do. */
export interface ListingAuthorizer extends Authorizer {
  rulesFor(user: UserInfo, namespace: string): AccessRules | Promise<AccessRules>;
}

/** Asks one authorizer after the other until one allows or denies. A failing authorizer has no opinion, and its error is reported. */
export function firstOpinion(authorizers: readonly Authorizer[]): Authorizer {
  return { authorize: (request) => askFrom(0, new NoOpinions(authorizers, request)) };
}

/** The reasons and errors of authorizers without an opinion so far. */
class NoOpinions {
  readonly authorizers: readonly Authorizer[];
  readonly request: AccessRequest;
  readonly #reasons: string[] = [];
  readonly #errors: string[] = [];

  constructor(authorizers: readonly Authorizer[], request: AccessRequest) {
    this.authorizers = authorizers;
    this.request = request;
  }

  add({ reason, error }: AccessDecision): void {
    if (reason !== '') this.#reasons.push(reason);
    if (error !== undefined) this.#errors.push(error);
  }

  get decision(): AccessDecision {
    const [reasons, errors] = [this.#reasons, this.#errors];
    if (reasons.length + errors.length === 0) return NO_OPINION;
    const error = errors.length === 0 ? {} : { error: errors.length === 1 ? errors[0] : `[${errors.join(', ')}]` };
    return { verdict: 'noOpinion', reason: reasons.join('\n'), ...error };
  }
}

function askFrom(first: number, state: NoOpinions): AccessDecision | Promise<AccessDecision> {
  for (let index = first; index < state.authorizers.length; index++) {
    const answer = ask(state.authorizers[index] as Authorizer, state.request);
    if (answer instanceof Promise) return askOn(index, answer, state);
    if (answer.verdict !== 'noOpinion') return answer;
    state.add(answer);
  }
  return state.decision;
}

async function askOn(index: number, answer: Promise<AccessDecision>, state: NoOpinions): Promise<AccessDecision> {
  const decision = await answer;
  if (decision.verdict !== 'noOpinion') return decision;
  state.add(decision);
  return askFrom(index + 1, state);
}

function ask(authorizer: Authorizer, request: AccessRequest): AccessDecision | Promise<AccessDecision> {
  const step = request.trace?.stage?.begin(authorizer.name ?? 'another authorizer');
  const answer = decisionOf(authorizer, request);
  if (step === undefined) return answer;
  const noted = (decision: AccessDecision): AccessDecision => {
    step.end(VERDICTS[decision.verdict], decision.error ?? decision.reason);
    return decision;
  };
  return answer instanceof Promise ? answer.then(noted) : noted(answer);
}

function decisionOf(authorizer: Authorizer, request: AccessRequest): AccessDecision | Promise<AccessDecision> {
  try {
    const answer = authorizer.authorize(request);
    return answer instanceof Promise ? answer.catch(failed) : answer;
  } catch (error) {
    return failed(error);
  }
}

function failed(error: unknown): AccessDecision {
  return { verdict: 'noOpinion', reason: '', error: error instanceof Error ? error.message : String(error) };
}

const VERDICTS = { allow: 'allowed', deny: 'denied', noOpinion: 'no opinion' } as const;

const ALLOWED: AccessDecision = { verdict: 'allow', reason: '' };

const MASTERS = 'system:masters';

/** Members of `system:masters` may do everything: this authorizer is asked before all others. */
export const mastersAuthorizer: Authorizer = {
  name: 'system:masters',
  authorize: ({ user }) => (user.groups.includes(MASTERS) ? ALLOWED : NO_OPINION),
};
