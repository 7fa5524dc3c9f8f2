import {
  type AccessRules,
  type Authorizer,
  firstOpinion,
  type ListingAuthorizer,
  mastersAuthorizer,
  type ServerObjects,
  type UserInfo,
} from '../apiserver/index.ts';
import { AbacAuthorizer, readAbacPolicies } from './abac-authorizer.ts';
import { alwaysAllow, alwaysDeny } from './fixed-modes.ts';
import { NodeAuthorizer } from './node-authorizer/node-authorizer.ts';
import { RbacAuthorizer } from './rbac/rbac-authorizer.ts';
import { together } from './rbac/user-rules.ts';

/** What `--authorization-mode` and the flags beside it say. */
export interface AuthorizationOptions {
  /** Asked in this order; `Node`, then `RBAC` unless given. */
  readonly modes?: readonly string[];
  /** The text of the file with ABAC's policies, and what it is called in messages. */
  readonly policies?: { readonly path: string; readonly text: string };
}

interface ModeParts {
  readonly objects: ServerObjects;
  readonly policies: AuthorizationOptions['policies'];
}

/** By name; another mode is another line. */
const makers: Readonly<Record<string, (parts: ModeParts) => ListingAuthorizer>> = {
  AlwaysAllow: () => alwaysAllow,
  AlwaysDeny: () => alwaysDeny,
  ABAC: ({ policies }) => new AbacAuthorizer(policies === undefined ? [] : readAbacPolicies(policies)),
  RBAC: ({ objects }) => new RbacAuthorizer(objects),
  Node: ({ objects }) => new NodeAuthorizer(objects),
};

export const DEFAULT_MODES: readonly string[] = ['Node', 'RBAC'];

/** Known to kube-apiserver, and not there yet. */
const ABSENT = ['Webhook'];

/** Everything that is wrong with the options, in kube-apiserver's words. */
export function authorizationProblems({ modes = DEFAULT_MODES, policies }: AuthorizationOptions): string[] {
  const problems = modes.length === 0 ? ['at least one authorization-mode must be passed'] : [];
  for (const mode of modes) {
    if (ABSENT.includes(mode)) problems.push(`authorization-mode ${JSON.stringify(mode)} is not there yet`);
    else if (!Object.hasOwn(makers, mode))
      problems.push(`authorization-mode ${JSON.stringify(mode)} is not a valid mode`);
  }
  const hasAbac = modes.includes('ABAC');
  if (hasAbac && policies === undefined)
    problems.push("authorization-mode ABAC's authorization policy file not passed");
  if (!hasAbac && policies !== undefined) problems.push('cannot specify --authorization-policy-file without mode ABAC');
  if (new Set(modes).size < modes.length) {
    const told = modes.map((mode) => JSON.stringify(mode)).join(' ');
    problems.push(`authorization-mode [${told}] has mode specified more than once`);
  }
  return problems;
}

/**
 * Who decides: the masters' rule first, so that nobody can lock the administrator out, then what was added from outside, then the
 * modes in their order. The first opinion counts.
 */
export function authorizationOf(
  options: AuthorizationOptions,
  { objects, more = [] }: { readonly objects: ServerObjects; readonly more?: readonly Authorizer[] },
): ListingAuthorizer {
  const [problem] = authorizationProblems(options);
  if (problem !== undefined) throw new Error(`Cannot choose who authorizes: ${problem}`);
  const { modes = DEFAULT_MODES, policies } = options;
  const chosen = modes.flatMap((mode) => makers[mode]?.({ objects, policies }) ?? []);
  const { authorize } = firstOpinion([mastersAuthorizer, ...more, ...chosen]);
  const listing = [...more.map(listingOf), ...chosen];
  return { authorize, rulesFor: (user, namespace) => allRules(listing, user, namespace) };
}

/** Authorizers from outside need not be able to list their rules; then there is more than reviews can tell. */
function listingOf(authorizer: Authorizer): RuleLister {
  if ('rulesFor' in authorizer) return authorizer as ListingAuthorizer;
  const problem = 'an authorizer does not support user rule resolution';
  return { rulesFor: () => ({ resourceRules: [], nonResourceRules: [], isIncomplete: true, problem }) };
}

type RuleLister = Pick<ListingAuthorizer, 'rulesFor'>;

async function allRules(authorizers: readonly RuleLister[], user: UserInfo, namespace: string): Promise<AccessRules> {
  const lists = await Promise.all(authorizers.map(async (each) => each.rulesFor(user, namespace)));
  const problems = lists.flatMap(({ problem }) => problem ?? []);
  return {
    resourceRules: lists.flatMap(({ resourceRules }) => resourceRules),
    nonResourceRules: lists.flatMap(({ nonResourceRules }) => nonResourceRules),
    isIncomplete: lists.some(({ isIncomplete }) => isIncomplete),
    ...(problems.length === 0 ? {} : { problem: together(problems) }),
  };
}
