import type { NonResourceRule, ResourceRule } from '../../api/types/authorization/v1.d.ts';
import type { TraceStep } from '../trace/request-trace.ts';
import type { UserInfo } from '../request/principal.ts';
import type { RequestInfo } from '../request/request-info.ts';

/** What is asked for, as authorizers judge it. */
export interface AccessRequest {
  readonly user: UserInfo;
  readonly info: RequestInfo;
  /** Aborts when nobody waits for the decision any more. */
  readonly signal: AbortSignal;
  /** Where it is noted what each authorizer says, if it is. */
  readonly trace?: { readonly stage: TraceStep | undefined } | undefined;
}

export interface AccessDecision {
  /** `noOpinion` leaves the request to the next authorizer; when all do, it is refused. */
  readonly verdict: 'allow' | 'deny' | 'noOpinion';
  /** Why, for the message and the audit log; may be empty. */
  readonly reason: string;
  /** What went wrong while deciding, if something did. */
  readonly error?: string;
}

export const NO_OPINION: AccessDecision = { verdict: 'noOpinion', reason: '' };

/** Decides who may do what. One that looks at what this process has at hand answers without a promise. */
export interface Authorizer {
  /** What it is called in traces of requests. */
  readonly name?: string;
  authorize(request: AccessRequest): AccessDecision | Promise<AccessDecision>;
}

/** What somebody may do in a namespace, as far as it can be listed. */
export interface AccessRules {
  readonly resourceRules: readonly ResourceRule[];
  readonly nonResourceRules: readonly NonResourceRule[];
  /** There is more than could be listed; `problem` says why. */
  readonly isIncomplete: boolean;
  readonly problem?: string;
}

/** An authorizer that can tell what somebody may do, not only whether they may do one thing. */
export interface ListingAuthorizer extends Authorizer {
  rulesFor(user: UserInfo, namespace: string): AccessRules | Promise<AccessRules>;
}

/** Asks one after the other until one allows or denies. A failing authorizer has no opinion, and what failed is told. */
export function firstOpinion(authorizers: readonly Authorizer[]): Authorizer {
  return { authorize: (request) => askFrom(0, new Unsettled(authorizers, request)) };
}

/** What authorizers without an opinion have said so far. */
class Unsettled {
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

function askFrom(first: number, state: Unsettled): AccessDecision | Promise<AccessDecision> {
  for (let index = first; index < state.authorizers.length; index++) {
    const answer = ask(state.authorizers[index] as Authorizer, state.request);
    if (answer instanceof Promise) return askOn(index, answer, state);
    if (answer.verdict !== 'noOpinion') return answer;
    state.add(answer);
  }
  return state.decision;
}

async function askOn(index: number, answer: Promise<AccessDecision>, state: Unsettled): Promise<AccessDecision> {
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

/** Members of `system:masters` may do everything, whatever other authorizers say: this one is asked first. */
export const mastersAuthorizer: Authorizer = {
  name: 'system:masters',
  authorize: ({ user }) => (user.groups.includes(MASTERS) ? ALLOWED : NO_OPINION),
};
