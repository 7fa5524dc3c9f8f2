import type { Node } from '../../api/types/core/v1.d.ts';
import type { Observed } from '../../client/index.ts';
import type { Readiness } from './node-health.ts';

/** How many nodes of a zone are unhealthy. `initial`: not assessed yet. */
export type ZoneState = 'initial' | 'normal' | 'partial disruption' | 'full disruption';

const EXCLUDED_LABEL = 'node.kubernetes.io/exclude-disruption';

/** Whether the node is excluded when the state of its zone is computed. */
export function isExcludedFromDisruption({ metadata }: Observed<Node>): boolean {
  return metadata.labels?.[EXCLUDED_LABEL] !== undefined;
}

/**
 * The state of a zone by the readiness of its nodes. One or two unhealthy nodes are no disruption unless there are no
 * others.
 */
export function zoneStateOf(nodes: readonly (Readiness | undefined)[], unhealthyThreshold: number): ZoneState {
  const unready = nodes.filter((readiness) => readiness !== 'True').length;
  if (unready > 0 && unready === nodes.length) return 'full disruption';
  return unready > 2 && unready / nodes.length >= unhealthyThreshold ? 'partial disruption' : 'normal';
}
