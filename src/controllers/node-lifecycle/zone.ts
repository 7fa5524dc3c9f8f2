import type { Node } from '../../api/types/core/v1.d.ts';
import type { Observed } from '../../client/index.ts';
import type { Readiness } from './node-health.ts';

/** How much of a zone is out of order. `initial`: not looked at yet. */
export type ZoneState = 'initial' | 'normal' | 'partial disruption' | 'full disruption';

const EXCLUDED_LABEL = 'node.kubernetes.io/exclude-disruption';

/** Whether a node is left out when the state of its zone is found. */
export function isExcludedFromDisruption({ metadata }: Observed<Node>): boolean {
  return metadata.labels?.[EXCLUDED_LABEL] !== undefined;
}

/** The state of a zone from how ready its nodes are. One or two bad nodes are no disruption unless there are no others. */
export function zoneStateOf(nodes: readonly (Readiness | undefined)[], unhealthyThreshold: number): ZoneState {
  const unready = nodes.filter((readiness) => readiness !== 'True').length;
  if (unready > 0 && unready === nodes.length) return 'full disruption';
  return unready > 2 && unready / nodes.length >= unhealthyThreshold ? 'partial disruption' : 'normal';
}
