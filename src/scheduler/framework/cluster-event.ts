import type { KubernetesObject, Observed } from '../../client/index.ts';
import type { PodInfo } from '../cache/pod-info.ts';

/** What happened to an object. `Update` is a change that none of the narrower words tells of. */
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

/** Something that happened in the cluster, for pods that wait. */
export interface ClusterEvent {
  /** The kind; pods are told apart by whether they are on a node. `*` is about everything. */
  readonly resource: string;
  readonly action: ClusterAction | 'All';
  /** As in metrics; resource and action unless given. */
  readonly label?: string;
}

/** The object before and after. */
export interface Change<T extends KubernetesObject = KubernetesObject> {
  readonly old?: Observed<T>;
  readonly now?: Observed<T>;
}

/** Events that may make a pod schedulable which a plugin has rejected. */
export interface EventInterest {
  /** `Pod` is about pods on a node and about those that are not. */
  readonly resource: string;
  /** `Update` includes all the narrower ones. */
  readonly actions: readonly ClusterAction[];
  /** Whether trying again is worth it after this very change; always unless given. */
  isWorthRetry?(pod: PodInfo, change: Change<never>): boolean;
}

/** For those who cannot tell what would help. */
export const interestInEverything: EventInterest = { resource: '*', actions: [] };

export const assignedPodAdd: ClusterEvent = { resource: 'AssignedPod', action: 'Add' };
export const assignedPodDelete: ClusterEvent = { resource: 'AssignedPod', action: 'Delete' };
export const unscheduledPodAdd: ClusterEvent = { resource: 'UnschedulablePod', action: 'Add' };
export const unscheduledPodUpdate: ClusterEvent = { resource: 'UnschedulablePod', action: 'Update' };
/** A pod has waited for too long; whatever rejected it, it is tried again. */
export const unschedulableTimeout: ClusterEvent = { resource: '*', action: 'All', label: 'UnschedulableTimeout' };

/** A plugin wants a pod to be tried. */
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
