import { deepEqual } from '../../base/index.ts';
import { isAssigned, podRequests } from '../../api/meaning/index.ts';
import type { Observed, Pod } from '../../client/index.ts';
import type { ClusterAction, ClusterEvent } from '../framework/cluster-event.ts';

/** The cluster events of a pod update, one for each aspect that changed, or a plain `Update`. */
export function podChanges(old: Observed<Pod>, now: Observed<Pod>): ClusterEvent[] {
  const resource = isAssigned(now) ? 'AssignedPod' : 'UnschedulablePod';
  const actions: ClusterAction[] = [];
  if (!deepEqual(old.metadata.labels ?? {}, now.metadata.labels ?? {})) actions.push('UpdatePodLabel');
  if (asksForLess(old, now)) actions.push('UpdatePodScaleDown');
  if (count(old.spec?.schedulingGates) > 0 && count(now.spec?.schedulingGates) === 0)
    actions.push('UpdatePodSchedulingGatesEliminated');
  if (
    !deepEqual(old.status?.resourceClaimStatuses ?? [], now.status?.resourceClaimStatuses ?? []) ||
    !deepEqual(old.status?.extendedResourceClaimStatus, now.status?.extendedResourceClaimStatus)
  )
    actions.push('UpdatePodGeneratedResourceClaim');
  // tolerations can be added, but neither changed nor removed
  if (count(old.spec?.tolerations) !== count(now.spec?.tolerations)) actions.push('UpdatePodToleration');
  if (actions.length === 0) actions.push('Update');
  return actions.map((action) => ({ resource, action }));
}

function asksForLess(old: Observed<Pod>, now: Observed<Pod>): boolean {
  const isSame =
    old.spec === now.spec &&
    old.status?.containerStatuses === now.status?.containerStatuses &&
    old.status?.initContainerStatuses === now.status?.initContainerStatuses &&
    old.status?.resources === now.status?.resources &&
    old.status?.allocatedResources === now.status?.allocatedResources;
  if (isSame) return false;
  const requests = podRequests(now);
  for (const [name, amount] of podRequests(old)) {
    const wanted = requests.get(name);
    if (wanted === undefined || wanted.milliValue() < amount.milliValue()) return true;
  }
  return false;
}

function count(list: readonly unknown[] | undefined): number {
  return list?.length ?? 0;
}
