import { domainPrefixedPathProblems, quoteGo, type StatusError } from '../../api/index.ts';
import type { UserInfo } from '../../apiserver/index.ts';
import { accountGroups, accountOf } from '../service-accounts/account-name.ts';
import { AUTHENTICATION_GROUP, type ImpersonationCheck, propertyOf } from './impersonation-check.ts';
import { userOf, type WantedUser } from './impersonation-headers.ts';
import { nodeOf } from './node-name.ts';

/** The impersonated user, or why the impersonation is refused. */
export type Impersonated = { readonly user: UserInfo } | { readonly refused: StatusError };

export interface PropertyRules {
  /** The verb that must be allowed on each property of the wanted user. */
  readonly verb: string;
  /** Whether the stricter rules of constrained impersonation apply (KEP-5284). */
  readonly isConstrained: boolean;
  /** The node's name in the question, when it is not about one node. */
  readonly nodeName?: string;
}

/** Checks the name, the uid, each group and each extra value, in this order, until one is refused. */
export async function checkWantedUser(
  wanted: WantedUser,
  check: ImpersonationCheck,
  rules: PropertyRules,
): Promise<Impersonated> {
  const refused =
    (await checkName(wanted, check, rules)) ??
    (wanted.uid === ''
      ? undefined
      : await check.refusal(propertyOf({ verb: rules.verb, resource: 'uids', name: wanted.uid }))) ??
    (await checkGroups(wanted, check, rules)) ??
    (await checkExtra(wanted, check, rules));
  if (refused !== undefined) return { refused };
  return { user: withStandardGroups(userOf(wanted), rules) };
}

/** Legacy impersonation uses the core group for users and groups. */
function groupOf({ isConstrained }: PropertyRules): { readonly group: string } {
  return { group: isConstrained ? AUTHENTICATION_GROUP : '' };
}

function checkName(
  { name }: WantedUser,
  check: ImpersonationCheck,
  rules: PropertyRules,
): Promise<StatusError | undefined> {
  const { verb } = rules;
  const common = { ...groupOf(rules), verb };
  const account = accountOf(name);
  if (account !== undefined) return check.refusal(propertyOf({ ...common, resource: 'serviceaccounts', ...account }));
  const node = rules.isConstrained ? nodeOf(name) : undefined;
  if (node !== undefined)
    return check.refusal(propertyOf({ ...common, resource: 'nodes', name: rules.nodeName ?? node }));
  return check.refusal(propertyOf({ ...common, resource: 'users', name }));
}

/** From this number of values on, a single question asks first whether all values are allowed. */
const MIN_WILDCARD_VALUES = 4;
const MASTERS = 'system:masters';

async function checkGroups(
  { groups }: WantedUser,
  check: ImpersonationCheck,
  rules: PropertyRules,
): Promise<StatusError | undefined> {
  const about = (name: string): ReturnType<typeof propertyOf> =>
    propertyOf({ ...groupOf(rules), verb: rules.verb, resource: 'groups', name });
  if (rules.isConstrained) {
    if (groups.includes('')) return check.never(about(''), 'impersonating the empty string group is not allowed');
    if (groups.includes(MASTERS))
      return check.never(about(MASTERS), 'impersonating the system:masters group is not allowed');
    if (groups.length >= MIN_WILDCARD_VALUES && (await check.refusal(about('*'))) === undefined) return undefined;
  }
  for (const group of groups) {
    const refused = await check.refusal(about(group));
    if (refused !== undefined) return refused;
  }
  return undefined;
}

async function checkExtra(
  { extra }: WantedUser,
  check: ImpersonationCheck,
  rules: PropertyRules,
): Promise<StatusError | undefined> {
  const entries = Object.entries(extra);
  const about = (subresource: string, name: string): ReturnType<typeof propertyOf> =>
    propertyOf({ verb: rules.verb, resource: 'userextras', subresource, name });
  if (rules.isConstrained) {
    for (const [key, values] of entries) {
      const problem = extraProblem(key, values);
      if (problem !== undefined) return check.never(about('', ''), problem);
    }
    const isMany =
      entries.length >= MIN_WILDCARD_VALUES || entries.flatMap(([, values]) => values).length >= MIN_WILDCARD_VALUES;
    if (isMany && (await check.refusal(about('*', '*'))) === undefined) return undefined;
  }
  for (const [key, values] of entries) {
    for (const value of values) {
      const refused = await check.refusal(about(key, value));
      if (refused !== undefined) return refused;
    }
  }
  return undefined;
}

function extraProblem(key: string, values: readonly string[]): string | undefined {
  if (key === '') return 'impersonating the empty string key in extra is not allowed';
  const problem = keyProblem(key);
  if (problem !== undefined) return `impersonating an invalid key in extra is not allowed: ${problem}`;
  if (key !== key.toLowerCase()) return `impersonating a non-lowercase key in extra is not allowed: ${quoteGo(key)}`;
  if (values.length === 0) return 'impersonating empty values in extra is not allowed';
  return values.includes('') ? 'impersonating the empty string value in extra is not allowed' : undefined;
}

function keyProblem(key: string): string | undefined {
  const problems = domainPrefixedPathProblems(key).map((problem) =>
    problem.type === 'Required'
      ? 'extra.key: Required value'
      : `extra.key: Invalid value: ${quoteGo(problem.value)}: ${problem.detail}`,
  );
  return problems.length > 1 ? `[${problems.join(', ')}]` : problems[0];
}

const ANONYMOUS = 'system:anonymous';
const UNAUTHENTICATED = 'system:unauthenticated';
const AUTHENTICATED = 'system:authenticated';

/** Adds the groups that nodes and service accounts always have, and `system:authenticated` or `system:unauthenticated`. */
function withStandardGroups(user: UserInfo, { isConstrained }: PropertyRules): UserInfo {
  const account = accountOf(user.name);
  const node = isConstrained ? nodeOf(user.name) : undefined;
  const own = node !== undefined ? ['system:nodes'] : account !== undefined ? accountGroups(account.namespace) : [];
  const groups = user.groups.length === 0 ? own : user.groups;
  if (user.name !== ANONYMOUS && groups.includes(UNAUTHENTICATED)) return { ...user, groups };
  const standard = user.name === ANONYMOUS ? UNAUTHENTICATED : AUTHENTICATED;
  return { ...user, groups: groups.includes(standard) ? groups : [...groups, standard] };
}
