import type { Observed, Pod } from '../../client/index.ts';

/** How long pods of a priority have to end when the machine shuts down. */
export interface ShutdownPeriod {
  readonly priority: number;
  readonly graceSeconds: number;
}

export interface ShutdownGroup extends ShutdownPeriod {
  readonly pods: readonly Observed<Pod>[];
}

const SYSTEM_CRITICAL = 2_000_000_000;

/** The periods of `shutdownGracePeriod`, of which `shutdownGracePeriodCriticalPods` is for critical pods. */
export function periodsOf(graceMs: number, criticalGraceMs: number): readonly ShutdownPeriod[] {
  if (graceMs === 0 || criticalGraceMs > graceMs) return [];
  return [
    { priority: 0, graceSeconds: Math.trunc((graceMs - criticalGraceMs) / 1000) },
    { priority: SYSTEM_CRITICAL, graceSeconds: Math.trunc(criticalGraceMs / 1000) },
  ];
}

/** The pods by period, the least important first. A pod belongs to the highest priority that does not exceed its own. */
export function shutdownGroups(
  periods: readonly ShutdownPeriod[],
  pods: readonly Observed<Pod>[],
): readonly ShutdownGroup[] {
  const sorted = periods.toSorted((left, right) => left.priority - right.priority);
  const groupOf = ({ spec }: Observed<Pod>): number => {
    const own = spec?.priority ?? 0;
    return Math.max(
      0,
      sorted.findLastIndex(({ priority }) => priority <= own),
    );
  };
  return sorted.map((period, index) => ({ ...period, pods: pods.filter((pod) => groupOf(pod) === index) }));
}
