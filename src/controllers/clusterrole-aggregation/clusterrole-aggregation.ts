import { matchLabelSelector, ValueError } from '../../api/client.ts';
import type { PolicyRule } from '../../api/types/rbac/v1.d.ts';
import { deepEqual } from '../../base/index.ts';
import { ClusterRole, type Observed } from '../../client/index.ts';
import { type Controller, controller, watch } from '../../kit/index.ts';

const FIELD_MANAGER = 'clusterrole-aggregation-controller';

/** Fills the rules of ClusterRoles with an aggregationRule from the roles that it selects. */
export function clusterRoleAggregation(): Controller {
  return controller(ClusterRole, {
    queueName: 'ClusterRoleAggregator',
    name: 'clusterrole-aggregation',
    // Any role's rules may be part of an aggregated role.
    watches: [watch(ClusterRole, { to: (_, { objects }) => aggregatedIn(objects(ClusterRole).list()) })],
    async reconcile(role, { objects }) {
      if (role.aggregationRule === undefined) return;
      const roles = objects(ClusterRole);
      const rules = new Aggregation(roles.list()).rulesOf(role);
      if (deepEqual(rules, role.rules ?? [])) return;
      const { name } = role.metadata;
      await roles.apply({ metadata: { name }, rules: [...rules] }, { fieldManager: FIELD_MANAGER, force: true });
    },
  });
}

function aggregatedIn(roles: readonly Observed<ClusterRole>[]): string[] {
  return roles.filter(({ aggregationRule }) => aggregationRule !== undefined).map(({ metadata }) => metadata.name);
}

type Rules = readonly PolicyRule[];

/**
 * Computes the rules of aggregated roles. A selected role that is itself aggregated contributes its new rules, so that
 * nested roles are written once. In a cycle, one role contributes its stored rules, and the rest follows with the next
 * change.
 */
class Aggregation {
  readonly #byName: readonly Observed<ClusterRole>[];
  readonly #known = new Map<string, Rules>();

  constructor(roles: readonly Observed<ClusterRole>[]) {
    this.#byName = roles.toSorted((left, right) => (left.metadata.name < right.metadata.name ? -1 : 1));
  }

  /** The rules of all selected roles, in the order of selectors and names, without duplicates. */
  rulesOf(role: Observed<ClusterRole>): Rules {
    const { name } = role.metadata;
    const stored = (role.rules ?? []) as Rules;
    const known = this.#known.get(name);
    if (known !== undefined || role.aggregationRule === undefined) return known ?? stored;
    this.#known.set(name, stored); // ends the recursion for cycles
    const rules = new Map<string, PolicyRule>();
    for (const selector of role.aggregationRule.clusterRoleSelectors ?? []) {
      const selected = matchLabelSelector(selector);
      if (selected instanceof ValueError) throw new Error(`Cannot aggregate: ${selected.message}`);
      for (const part of this.#byName) {
        if (part.metadata.name === name || !selected.matches(part.metadata.labels ?? {})) continue;
        for (const rule of this.rulesOf(part)) {
          const key = textOf(rule);
          if (!rules.has(key)) rules.set(key, rule);
        }
      }
    }
    const made = [...rules.values()];
    this.#known.set(name, made);
    return made;
  }
}

/** Equal for equal rules; an absent list equals an empty one. */
function textOf({ verbs, apiGroups, resources, resourceNames, nonResourceURLs }: PolicyRule): string {
  return JSON.stringify([verbs, apiGroups, resources, resourceNames, nonResourceURLs].map((list) => list ?? []));
}
