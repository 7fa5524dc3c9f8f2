import type { UserInfo } from '../../apiserver/index.ts';
import type { Rule } from './policy-rule.ts';
import { type Binding, GROUP, type RbacObjects, subjectKey, subjectsOf } from './rbac-objects.ts';

/** Receives one rule after the other, and errors of look-ups; returning true ends the search. */
export interface RuleVisitor {
  rule(rule: Rule, binding: Binding): boolean;
  problem(text: string): void;
}

/** Calls the visitor with every rule that applies to the user in the namespace, or cluster-wide when it is empty. */
export function visitRules(
  rbac: RbacObjects,
  { user, namespace }: { readonly user: UserInfo; readonly namespace: string },
  visitor: RuleVisitor,
): void {
  const subjects = subjectsOf(user);
  const visit = (binding: Binding): boolean => {
    const rules = rulesOf(rbac, binding);
    if (typeof rules === 'string') visitor.problem(rules);
    else for (const rule of rules) if (visitor.rule(rule, binding)) return true;
    return false;
  };
  for (const binding of rbac.clusterRoleBindings(subjects)) if (visit(binding)) return;
  if (namespace === '') return;
  for (const binding of rbac.roleBindings(namespace, subjects)) if (visit(binding)) return;
}

/** The rules that a binding grants, or the error when its role is missing. */
function rulesOf(rbac: RbacObjects, { roleRef, metadata }: Binding): readonly Rule[] | string {
  const { kind, name } = roleRef;
  if (kind !== 'Role' && kind !== 'ClusterRole') return `unsupported role reference kind: ${JSON.stringify(kind)}`;
  const role = kind === 'Role' ? rbac.role(metadata?.namespace ?? '', name) : rbac.clusterRole(name);
  if (role !== undefined) return role.rules ?? [];
  return `${rbac.missingAs ?? kind.toLowerCase()}.${GROUP} ${JSON.stringify(name)} not found`;
}

/** Describes a binding in reasons, and which of its subjects matches the user. */
export function describeBinding(binding: Binding, user: UserInfo): string {
  const { roleRef, subjects = [], metadata } = binding;
  const { name = '', namespace = '' } = metadata ?? {};
  const keys = new Set(subjectsOf(user));
  const subject = subjects.find((each) => keys.has(subjectKey(each, namespace) ?? ''));
  const owner = subject?.kind === 'ServiceAccount' ? `/${subject.namespace || namespace}` : '';
  const what = namespace === '' ? `ClusterRoleBinding "${name}"` : `RoleBinding "${name}/${namespace}"`;
  return `${what} of ${roleRef.kind} "${roleRef.name}" to ${subject?.kind ?? ''} "${subject?.name ?? ''}${owner}"`;
}

/** Joins several problems into one text, each once. */
export function joinProblems(problems: readonly string[]): string {
  const distinct = [...new Set(problems)];
  return distinct.length === 1 ? (distinct[0] ?? '') : `[${distinct.join(', ')}]`;
}
