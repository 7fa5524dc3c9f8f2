import type { KubernetesObject, Observed } from '../../client/index.ts';
import type { PodInfo } from '../cache/pod-info.ts';

/** What happened to an object. `Update` is a change that none of the more specific actions covers. */
export type ClusterAction =
  | 'Add'
  | 'Delete'
  | 'Update'
  | 'UpdateNodeAllocatable'
  | 'UpdateNodeAnnotation'
  | 'UpdateNodeCondition'
  | 'UpdateNodeDeclaredFeature'
  | 'UpdateNodeLabel'
  | 'UpdateNodeTaint'
  | 'UpdatePodGeneratedResourceClaim'
  | 'UpdatePodLabel'
  | 'UpdatePodScaleDown'
  | 'UpdatePodSchedulingGatesEliminated'
  | 'UpdatePodToleration';

/** An event in the cluster that may make waiting pods schedulable. */
export interface ClusterEvent {
  /** The kind; assigned and unassigned pods have different names. `*` stands for every resource. */
  readonly resource: string;
  readonly action: ClusterAction | 'All';
  /** The label in metrics; default: resource and action. */
  readonly label?: string;
}

/** The object before and after. */
export interface Change<T extends KubernetesObject = KubernetesObject> {
  readonly old?: Observed<T>;
  readonly now?: Observed<T>;
}

/** Events that may make a pod schedulable again after a plugin rejected it. */
export interface EventInterest {
  /** `Pod` includes assigned and unassigned pods. */
  readonly resource: string;
  /** `Update` includes all more specific updates. */
  readonly actions: readonly ClusterAction[];
  /** The queueing hint: whether this change justifies another attempt; default: always. */
  isWorthRetry?(pod: PodInfo, change: Change<never>): boolean;
}

/** For plugins that cannot narrow down the events. */
export const interestInEverything: EventInterest = { resource: '*', actions: [] };

export const assignedPodAdd: ClusterEvent = { resource: 'AssignedPod', action: 'Add' };
export const assignedPodDelete: ClusterEvent = { resource: 'AssignedPod', action: 'Delete' };
export const unscheduledPodAdd: ClusterEvent = { resource: 'UnschedulablePod', action: 'Add' };
export const unscheduledPodUpdate: ClusterEvent = { resource: 'UnschedulablePod', action: 'Update' };
/** Retries a pod that has waited too long, whichever plugin rejected it. */
export const unschedulableTimeout: ClusterEvent = { resource: '*', action: 'All', label: 'UnschedulableTimeout' };

/** A plugin requested another attempt for a pod. */
export const forcedActivation: ClusterEvent = { resource: '*', action: 'All', label: 'ForceActivate' };

export function labelOf(event: ClusterEvent): string {
  return event.label ?? `${event.resource}${event.action}`;
}

export function isAboutEverything(event: ClusterEvent): boolean {
  return event.resource === '*' && event.action === 'All';
}

export function concerns(interest: EventInterest, event: ClusterEvent): boolean {
  if (interest === interestInEverything) return true;
  const { resource, action } = event;
  const isSameResource =
    interest.resource === resource ||
    (interest.resource === 'Pod' && (resource === 'AssignedPod' || resource === 'UnschedulablePod'));
  if (!isSameResource || action === 'All') return false;
  return interest.actions.includes(action) || (action.startsWith('Update') && interest.actions.includes('Update'));
}
