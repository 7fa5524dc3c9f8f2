import type { AccessAnswer, AccessOracle, AccessQuestion } from '../../cel/index.ts';
import type { RequestInfo } from '../request/request-info.ts';
import type { UserInfo } from '../request/principal.ts';
import type { AccessDecision, AccessRequest, Authorizer } from './authorizer.ts';

/** More questions than an expression within its cost limit can ask. */
const MAX_QUESTIONS = 1000;

/**
 * Evaluates expressions that may call `authorizer`, with the authorizers that decide on requests.
 *
 * Evaluation is synchronous, authorizers may not be. So an evaluation that needs a pending answer is abandoned, and repeated once the
 * answer is there; each question is asked once. Guarantees: when all authorizers answer synchronously, the result is synchronous, after one
 * evaluation.
 */
export function evaluateWithAccess<T>(
  evaluate: (oracle: AccessOracle) => T,
  { user, signal }: Pick<AccessRequest, 'user' | 'signal'>,
  authorizer: Authorizer,
): T | Promise<T> {
  const answers = new Map<string, AccessAnswer>();
  const oracle: AccessOracle = {
    decide(question) {
      const key = JSON.stringify(question);
      const known = answers.get(key);
      if (known !== undefined) return known;
      const decision = authorizer.authorize({ user: userOf(question, user), info: infoOf(question), signal });
      if (decision instanceof Promise) throw new AnswerPending(key, decision);
      return remember(key, decision);
    },
  };
  const remember = (key: string, decision: AccessDecision): AccessAnswer => {
    if (answers.size >= MAX_QUESTIONS) throw new Error(`Cannot evaluate: more than ${MAX_QUESTIONS} access questions`);
    const { verdict, reason, error } = decision;
    const answer = { isAllowed: verdict === 'allow', reason, ...(error === undefined ? {} : { error }) };
    answers.set(key, answer);
    return answer;
  };
  const attempt = (): T | Promise<T> => {
    try {
      return evaluate(oracle);
    } catch (pause) {
      if (!(pause instanceof AnswerPending)) throw pause;
      return pause.decision.then((decision) => {
        signal.throwIfAborted();
        remember(pause.key, decision);
        return attempt();
      });
    }
  };
  return attempt();
}

/** Abandons an evaluation that needs a pending answer; expressions cannot catch it. */
class AnswerPending extends Error {
  override readonly name = 'AnswerPending';
  readonly key: string;
  readonly decision: Promise<AccessDecision>;

  constructor(key: string, decision: Promise<AccessDecision>) {
    super('Cannot evaluate without the answer of an authorizer');
    this.key = key;
    this.decision = decision;
  }
}

function userOf({ serviceAccount }: AccessQuestion, user: UserInfo): UserInfo {
  if (serviceAccount === undefined) return user;
  const { namespace, name } = serviceAccount;
  return {
    name: `system:serviceaccount:${namespace}:${name}`,
    groups: ['system:serviceaccounts', `system:serviceaccounts:${namespace}`, 'system:authenticated'],
  };
}

function infoOf({ verb, path = '', resource }: AccessQuestion): RequestInfo {
  const { group = '', resource: plural = '', subresource = '', namespace = '', name = '' } = resource ?? {};
  return {
    isResource: resource !== undefined,
    path,
    verb,
    group,
    version: resource === undefined ? '' : '*',
    namespace,
    resource: plural,
    subresource,
    name,
    subpath: '',
    parts: [plural, name, subresource].filter((part) => part !== ''),
  };
}
