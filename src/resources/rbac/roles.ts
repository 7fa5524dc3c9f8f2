import { invalidValue, matchLabelSelector, required, type FieldError, ValueError } from '../../api/index.ts';
import type { ClusterRole, PolicyRule, Role } from '../../api/types/rbac/v1.d.ts';
import type { KindEnvironment } from '../kind-environment.ts';
import { defineKind, type Kind } from '../kind.ts';
import { checkLabelSelector } from '../label-selector-rules.ts';
import { pathSegmentName } from '../name-rules.ts';
import { guarded } from './guarded-writes.ts';

const GROUP = 'rbac.authorization.k8s.io';

export function roles({ roleGuard }: KindEnvironment): Kind {
  return defineKind<Role>({
    changeSteps: ['metadata', 'object', 'metadataChange'],
    group: GROUP,
    plural: 'roles',
    checkName: pathSegmentName,
    createOnUpdate: true,
    ...guarded<Role>((role, write) => roleGuard?.checkRole(role, write)),
    ownRulesFor: ['rules.verbs'],
    validate: checkRole,
  });
}

export function clusterRoles({ roleGuard }: KindEnvironment): Kind {
  return defineKind<ClusterRole>({
    changeSteps: ['metadata', 'object', 'metadataChange'],
    group: GROUP,
    plural: 'clusterroles',
    checkName: pathSegmentName,
    createOnUpdate: true,
    ...guarded<ClusterRole>((role, write) => roleGuard?.checkRole(role, write)),
    ownRulesFor: ['rules.verbs'],
    validate: checkClusterRole,
  });
}

function checkRole({ rules }: Role): FieldError[] {
  return (rules ?? []).flatMap((rule, index) => checkRule(rule, `rules[${index}]`, { namespaced: true }));
}

function checkClusterRole({ rules, aggregationRule }: ClusterRole): FieldError[] {
  const errors = (rules ?? []).flatMap((rule, index) => checkRule(rule, `rules[${index}]`, { namespaced: false }));
  if (aggregationRule === undefined) return errors;
  const selectors = aggregationRule.clusterRoleSelectors ?? [];
  const field = 'aggregationRule.clusterRoleSelectors';
  if (selectors.length === 0) {
    errors.push(required(field, 'at least one clusterRoleSelector required if aggregationRule is non-nil'));
  }
  return [
    ...errors,
    ...selectors.flatMap((selector, index) => {
      const at = `${field}[${index}]`;
      const isRead = !(matchLabelSelector(selector) instanceof ValueError);
      return [
        ...checkLabelSelector(selector, at),
        ...(isRead ? [] : [invalidValue(at, null, 'invalid label selector.')]),
      ];
    }),
  ];
}

function checkRule(rule: PolicyRule, field: string, { namespaced }: { readonly namespaced: boolean }): FieldError[] {
  const { verbs, nonResourceURLs: urls = [], apiGroups = [], resources = [], resourceNames = [] } = rule;
  const errors: FieldError[] = [];
  if ((verbs ?? []).length === 0) errors.push(required(`${field}.verbs`, 'verbs must contain at least one value'));
  if (urls.length > 0) {
    const at = `${field}.nonResourceURLs`;
    if (namespaced) errors.push(invalidValue(at, urls, 'namespaced rules cannot apply to non-resource URLs'));
    if (apiGroups.length > 0 || resources.length > 0 || resourceNames.length > 0) {
      errors.push(invalidValue(at, urls, 'rules cannot apply to both regular resources and non-resource URLs'));
    }
    return errors;
  }
  if (apiGroups.length === 0) {
    errors.push(required(`${field}.apiGroups`, 'resource rules must supply at least one api group'));
  }
  if (resources.length === 0) {
    errors.push(required(`${field}.resources`, 'resource rules must supply at least one resource'));
  }
  return errors;
}
