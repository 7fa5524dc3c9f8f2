import { forbidden, notFound, StatusError } from '../../api/index.ts';
import type { ClusterRole, Role, RoleRef } from '../../api/types/rbac/v1.d.ts';
import type { Authorizer, RequestInfo, ServerObjects, UserInfo } from '../../apiserver/index.ts';
import { describeRule, quoted, type Rule } from './policy-rule.ts';
import { type Binding, GROUP, newestRbac, type RbacObjects, type RoleRequest } from './rbac-objects.ts';
import { joinVerbs, MAX_PERMISSIONS, missingFrom } from './rule-coverage.ts';
import { joinProblems, visitRules } from './user-rules.ts';

/** The user who writes a role or binding, and the previous object. */
export interface RoleWrite<T> {
  readonly user: UserInfo;
  readonly signal: AbortSignal;
  readonly old: T | undefined;
}

const MASTERS = 'system:masters';

/** All permissions, which an aggregated role can come to grant. */
const FULL: readonly Rule[] = [
  { verbs: ['*'], apiGroups: ['*'], resources: ['*'] },
  { verbs: ['*'], nonResourceURLs: ['*'] },
];

/**
 * Prevents users from granting permissions that they do not have: with the rules of a role, unless they may `escalate` it, and by binding a
 * role, unless they may `bind` it. It reads the newest roles and bindings from the store.
 */
export class EscalationGuard {
  readonly #objects: ServerObjects;
  readonly #authorizer: Authorizer;

  constructor(objects: ServerObjects, authorizer: Authorizer) {
    this.#objects = objects;
    this.#authorizer = authorizer;
  }

  async checkRole(role: Role | ClusterRole, { user, signal, old }: RoleWrite<Role | ClusterRole>): Promise<void> {
    if (user.groups.includes(MASTERS)) return;
    const { name = '', namespace = '' } = role.metadata ?? {};
    const resource = namespace === '' ? 'clusterroles' : 'roles';
    const target = { resource, namespace, name: old === undefined ? '' : name }; // the name of a created object does not count
    if (await this.#isAllowed(user, 'escalate', { ...target, signal })) return;
    const rbac = await newestRbac(this.#objects, { resource, namespace });
    const refuse = (why: string): never => {
      throw forbidden({ group: GROUP, resource }, name, why);
    };
    const problem = grantProblem(rbac, { user, namespace }, role.rules ?? []);
    if (problem !== undefined) refuse(problem);
    if (!isAggregated(role) && !isAggregated(old)) return;
    if (grantProblem(rbac, { user, namespace }, FULL) !== undefined)
      refuse('must have cluster-admin privileges to use the aggregationRule');
  }

  async checkBinding({ metadata, roleRef }: Binding, { user, signal }: RoleWrite<Binding>): Promise<void> {
    if (user.groups.includes(MASTERS)) return;
    const { name = '', namespace = '' } = metadata ?? {};
    const resource = namespace === '' ? 'clusterrolebindings' : 'rolebindings';
    const bound = BINDABLE[roleRef.kind];
    const target = { resource: bound ?? '', namespace, name: roleRef.name, signal };
    if (bound !== undefined && (await this.#isAllowed(user, 'bind', target))) return;
    const rbac = await newestRbac(this.#objects, { resource, namespace });
    const problem = grantProblem(rbac, { user, namespace }, referencedRules(rbac, roleRef, { resource, namespace }));
    if (problem !== undefined) throw forbidden({ group: GROUP, resource }, name, problem);
  }

  async #isAllowed(user: UserInfo, verb: string, { signal, ...target }: Target): Promise<boolean> {
    const { resource, name } = target;
    const parts = [resource, name].filter((part) => part !== '');
    const rest = { isResource: true, path: '', group: GROUP, version: '*', subresource: '', subpath: '', parts };
    const info: RequestInfo = { ...rest, ...target, verb };
    return (await this.#authorizer.authorize({ user, info, signal })).verdict === 'allow';
  }
}

const BINDABLE: Readonly<Record<string, string>> = { Role: 'roles', ClusterRole: 'clusterroles' };

interface Target {
  readonly resource: string;
  readonly namespace: string;
  readonly name: string;
  readonly signal: AbortSignal;
}

function isAggregated(role: Role | ClusterRole | undefined): boolean {
  if (role === undefined || !('aggregationRule' in role)) return false;
  return (role.aggregationRule?.clusterRoleSelectors ?? []).length > 0;
}

function referencedRules(
  rbac: RbacObjects,
  { kind, name }: RoleRef,
  { resource, namespace }: RoleRequest,
): readonly Rule[] {
  if (kind !== 'Role' && kind !== 'ClusterRole') {
    throw new StatusError({ code: 500, message: `unsupported role reference kind: ${JSON.stringify(kind)}` });
  }
  const role = kind === 'Role' ? rbac.role(namespace, name) : rbac.clusterRole(name);
  if (role === undefined) throw notFound({ group: GROUP, resource }, name);
  return role.rules ?? [];
}

/** Why the user may not grant the rules: the permissions that they lack. */
function grantProblem(
  rbac: RbacObjects,
  who: { readonly user: UserInfo; readonly namespace: string },
  rules: readonly Rule[],
): string | undefined {
  const own: Rule[] = [];
  const problems: string[] = [];
  visitRules(rbac, who, {
    rule(rule) {
      own.push(rule);
      return false;
    },
    problem: (text) => void problems.push(text),
  });
  const missing = missingFrom(own, rules);
  if (missing.length === 0) return undefined;
  if (missing === 'too many') {
    return `cannot tell whether the rules grant more than is held: they are more than ${MAX_PERMISSIONS} permissions`;
  }
  const lacking = [...new Set(joinVerbs(missing).map(describeRule))].toSorted();
  const { name, groups } = who.user;
  const unresolved = problems.length === 0 ? '' : `; resolution errors: [${joinProblems(problems)}]`;
  return (
    `user ${JSON.stringify(name)} (groups=${quoted(groups)}) is attempting to grant RBAC permissions not currently held:\n` +
    lacking.join('\n') +
    unresolved
  );
}
