import type { NamespaceCondition } from '../../api/types/core/v1.d.ts';
import type { DeepReadonly } from '../../base/index.ts';

/** The result of an attempt to empty a namespace. */
export interface DeletionFindings {
  /** Why not all resources could be discovered. */
  readonly discoveryFailure?: string;
  /** Why some objects could not be deleted. */
  readonly contentFailures: readonly string[];
  /** Remaining objects by resource. */
  readonly remaining: ReadonlyMap<string, number>;
  /** Remaining objects by finalizer. */
  readonly finalizers: ReadonlyMap<string, number>;
}

interface Outcome {
  readonly reason: string;
  readonly message: string;
}

interface ConditionRule {
  readonly type: string;
  readonly good: Outcome;
  /** The problem, if there is one. */
  bad(findings: DeletionFindings): Outcome | undefined;
}

/** The conditions that report the progress of a namespace's deletion, in their order of appearance. */
const rules: readonly ConditionRule[] = [
  {
    type: 'NamespaceDeletionDiscoveryFailure',
    good: { reason: 'ResourcesDiscovered', message: 'All resources successfully discovered' },
    bad: ({ discoveryFailure }) =>
      discoveryFailure === undefined ? undefined : { reason: 'DiscoveryFailed', message: discoveryFailure },
  },
  {
    type: 'NamespaceDeletionGroupVersionParsingFailure',
    good: { reason: 'ParsedGroupVersions', message: 'All legacy kube types successfully parsed' },
    bad: () => undefined, // discovery returns group and version separately: there is nothing to parse
  },
  {
    type: 'NamespaceDeletionContentFailure',
    good: {
      reason: 'ContentDeleted',
      message: 'All content successfully deleted, may be waiting on finalization',
    },
    bad: ({ contentFailures }) => {
      if (contentFailures.length === 0) return undefined;
      const reasons = [...contentFailures].sort().join(', ');
      const message = `Failed to delete all resource types, ${contentFailures.length} remaining: ${reasons}`;
      return { reason: 'ContentDeletionFailed', message };
    },
  },
  {
    type: 'NamespaceContentRemaining',
    good: { reason: 'ContentRemoved', message: 'All content successfully removed' },
    bad: ({ remaining }) => {
      if (remaining.size === 0) return undefined;
      const counts = describeCounts(remaining, (resource, count) => `${resource} has ${count} resource instances`);
      return { reason: 'SomeResourcesRemain', message: `Some resources are remaining: ${counts}` };
    },
  },
  {
    type: 'NamespaceFinalizersRemaining',
    good: { reason: 'ContentHasNoFinalizers', message: 'All content-preserving finalizers finished' },
    bad: ({ finalizers }) => {
      if (finalizers.size === 0) return undefined;
      const counts = describeCounts(finalizers, (finalizer, count) => `${finalizer} in ${count} resource instances`);
      const message = `Some content in the namespace has finalizers remaining: ${counts}`;
      return { reason: 'SomeFinalizersRemain', message };
    },
  },
];

type Conditions = readonly DeepReadonly<NamespaceCondition>[];

/** The conditions after an attempt to empty the namespace; the same list when nothing changed. */
export function deletionConditions(old: Conditions, findings: DeletionFindings, now: string): Conditions {
  const conditions = [...old];
  for (const rule of rules) {
    const bad = rule.bad(findings);
    const status = bad === undefined ? 'False' : 'True';
    const next = { type: rule.type, status, lastTransitionTime: now, ...(bad ?? rule.good) };
    const index = conditions.findIndex(({ type }) => type === rule.type);
    const known = conditions[index];
    if (known === undefined) conditions.push(next);
    else if (known.status !== status) conditions[index] = next;
    else if (known.reason !== next.reason || known.message !== next.message)
      conditions[index] = { ...next, lastTransitionTime: known.lastTransitionTime };
  }
  return conditions.length === old.length && conditions.every((condition, index) => condition === old[index])
    ? old
    : conditions;
}

/** Sorted, so that equal counts give equal texts. */
function describeCounts(
  counts: ReadonlyMap<string, number>,
  describe: (name: string, count: number) => string,
): string {
  return [...counts]
    .map(([name, count]) => describe(name, count))
    .sort()
    .join(', ');
}

/** Describes a partially failed discovery. */
export function describeDiscoveryFailures(failures: ReadonlyMap<string, string>): string | undefined {
  if (failures.size === 0) return undefined;
  const groups = [...failures].map(([groupVersion, reason]) => `${groupVersion}: ${reason}`).sort();
  const failure = `unable to retrieve the complete list of server APIs: ${groups.join(', ')}`;
  return `Discovery failed for some groups, ${failures.size} failing: ${failure}`;
}
