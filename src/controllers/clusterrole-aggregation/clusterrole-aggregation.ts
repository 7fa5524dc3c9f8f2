import { matchLabelSelector, ValueError } from '../../api/client.ts';
import type { PolicyRule } from '../../api/types/rbac/v1.d.ts';
import { deepEqual } from '../../base/index.ts';
import { ClusterRole, type Observed } from '../../client/index.ts';
import { type Controller, controller, watch } from '../../kit/index.ts';

const FIELD_MANAGER = 'clusterrole-aggregation-controller';

/** Gives cluster roles that have an aggregationRule the rules of the roles that it selects. */
export function clusterRoleAggregation(): Controller {
  return controller(ClusterRole, {
    name: 'clusterrole-aggregation',
    // What one role grants may be part of any other that aggregates.
    watches: [watch(ClusterRole, { to: (_, { objects }) => aggregatedIn(objects(ClusterRole).list()) })],
    async reconcile(role, { objects }) {
      if (role.aggregationRule === undefined) return;
      const roles = objects(ClusterRole);
      const rules = rulesFor(role, roles.list());
      if (deepEqual(rules, role.rules ?? [])) return;
      const { name } = role.metadata;
      await roles.apply({ metadata: { name }, rules: [...rules] }, { fieldManager: FIELD_MANAGER, force: true });
    },
  });
}

function aggregatedIn(roles: readonly Observed<ClusterRole>[]): string[] {
  return roles.filter(({ aggregationRule }) => aggregationRule !== undefined).map(({ metadata }) => metadata.name);
}

/** The rules of all that a selector selects, selector by selector, by name; equal rules once. */
function rulesFor(role: Observed<ClusterRole>, all: readonly Observed<ClusterRole>[]): readonly PolicyRule[] {
  const others = all
    .filter(({ metadata }) => metadata.name !== role.metadata.name)
    .toSorted((left, right) => (left.metadata.name < right.metadata.name ? -1 : 1));
  const rules = new Map<string, PolicyRule>();
  for (const selector of role.aggregationRule?.clusterRoleSelectors ?? []) {
    const selected = matchLabelSelector(selector);
    if (selected instanceof ValueError) throw new Error(`Cannot aggregate: ${selected.message}`);
    for (const { metadata, rules: own } of others) {
      if (!selected.matches(metadata.labels ?? {})) continue;
      for (const rule of (own ?? []) as readonly PolicyRule[]) {
        const key = textOf(rule);
        if (!rules.has(key)) rules.set(key, rule);
      }
    }
  }
  return [...rules.values()];
}

/** Equal for equal rules; a list that is missing is empty. */
function textOf({ verbs, apiGroups, resources, resourceNames, nonResourceURLs }: PolicyRule): string {
  return JSON.stringify([verbs, apiGroups, resources, resourceNames, nonResourceURLs].map((list) => list ?? []));
}
