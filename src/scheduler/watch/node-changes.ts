import { deepEqual } from '../../base/index.ts';
import type { Node, Observed } from '../../client/index.ts';
import type { ClusterAction, ClusterEvent } from '../framework/cluster-event.ts';

/** What an update of a node means for scheduling: one event for each thing that has changed; none for heartbeats. */
export function nodeChanges(old: Observed<Node>, now: Observed<Node>): ClusterEvent[] {
  const actions: ClusterAction[] = [];
  if (old.spec?.unschedulable === true && now.spec?.unschedulable !== true) actions.push('UpdateNodeTaint');
  if (!isSame(old.status?.allocatable, now.status?.allocatable)) actions.push('UpdateNodeAllocatable');
  if (!isSame(old.metadata.labels, now.metadata.labels)) actions.push('UpdateNodeLabel');
  if (!isSame(old.spec?.taints, now.spec?.taints)) actions.push('UpdateNodeTaint');
  if (!isSame(conditions(old), conditions(now))) actions.push('UpdateNodeCondition');
  if (!isSame(old.metadata.annotations, now.metadata.annotations)) actions.push('UpdateNodeAnnotation');
  if (!isSame(old.status?.declaredFeatures, now.status?.declaredFeatures)) actions.push('UpdateNodeDeclaredFeature');
  return actions.map((action) => ({ resource: 'Node', action }));
}

/** Condition statuses by type. Times are left out because they change with every heartbeat. */
function conditions({ status }: Observed<Node>): Record<string, string> {
  return Object.fromEntries((status?.conditions ?? []).map(({ type, status: value }) => [type, value]));
}

/** An absent map and an empty one are the same. */
function isSame(left: object | undefined, right: object | undefined): boolean {
  return left === right || deepEqual(left ?? {}, right ?? {}) || (isEmpty(left) && isEmpty(right));
}

function isEmpty(value: object | undefined): boolean {
  return value === undefined || Object.keys(value).length === 0;
}
