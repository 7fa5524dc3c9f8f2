// What the status of a pod says about its resources, for nodes that have forgotten it.
import type { Observed, Pod } from '../../client/index.ts';
import type { ActuatedResources, PodStatus, ResizeState } from '../life/index.ts';
import { type PodAllocation, type ResourceNeeds, wantedBy } from './allocation.ts';

type ReportedContainer = NonNullable<PodStatus['containerStatuses']>[number];

function reportedContainers({ status }: Observed<Pod>): readonly ReportedContainer[] {
  return [...(status?.initContainerStatuses ?? []), ...(status?.containerStatuses ?? [])];
}

function conditionOf(
  { status }: Observed<Pod>,
  type: string,
): NonNullable<PodStatus['conditions']>[number] | undefined {
  return status?.conditions?.find((each) => each.type === type && each.status === 'True');
}

/** What the pod's status says was allocated, for nodes without checkpoints; undefined while no resize is pending. */
export function reportedAllocation(pod: Observed<Pod>): PodAllocation | undefined {
  if (conditionOf(pod, 'PodResizePending') === undefined) return undefined;
  const wanted = wantedBy(pod);
  const containers = new Map(wanted.containers);
  for (const { name, resources, allocatedResources } of reportedContainers(pod))
    if (resources !== undefined && containers.has(name))
      containers.set(name, {
        ...containers.get(name),
        ...(resources.limits === undefined ? {} : { limits: resources.limits }),
        ...(allocatedResources === undefined ? {} : { requests: allocatedResources }),
      });
  return { containers, pod: wanted.pod };
}

/** What the pod's status says is in force, where it is not what is allocated. */
export function reportedActuation(allocated: Observed<Pod>): ActuatedResources | undefined {
  if (conditionOf(allocated, 'PodResizeInProgress') === undefined) return undefined;
  const containers = new Map<string, ResourceNeeds>();
  for (const { name, resources } of reportedContainers(allocated))
    if (resources !== undefined) containers.set(name, resources);
  const { pod } = wantedBy(allocated);
  return { containers, pod };
}

/** The conditions about resizes that the pod's status has. */
export function reportedConditions(pod: Observed<Pod>): Pick<ResizeState, 'pending' | 'progress'> {
  const [pending, progress] = [conditionOf(pod, 'PodResizePending'), conditionOf(pod, 'PodResizeInProgress')];
  const sinceMs = (time: string | undefined): number => Date.parse(time ?? '') || 0;
  return {
    pending:
      pending === undefined
        ? undefined
        : {
            reason: pending.reason === 'Infeasible' ? 'Infeasible' : 'Deferred',
            message: pending.message ?? '',
            generation: pending.observedGeneration ?? 0,
            sinceMs: sinceMs(pending.lastTransitionTime),
          },
    progress:
      progress === undefined
        ? undefined
        : {
            error: progress.reason === 'Error' ? (progress.message ?? '') : undefined,
            generation: progress.observedGeneration ?? 0,
            sinceMs: sinceMs(progress.lastTransitionTime),
          },
  };
}
