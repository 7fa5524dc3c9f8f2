import { type Clock, messageOf } from '../../base/index.ts';
import { hasReason, mergePatch, type Client, type Observed, type PersistentVolumeClaim } from '../../client/index.ts';
import type { EventRecorder } from '../../kit/index.ts';
import { VolumeGrowError } from '../backend/index.ts';
import type { MountedClaim, PodVolumes } from './pod-volumes.ts';

/** Interval at which mounted claims are checked. */
export const GROW_EVERY_MS = 10_000;
/** Conditions that show the progress of a resize. */
const FAMILY = new Set(['Resizing', 'FileSystemResizePending', 'ControllerResizeError', 'NodeResizeError']);

/** Resize statuses with which a claim waits for its node. */
const WAITING = new Set(['NodeResizePending', 'NodeResizeInProgress']);

export interface GrowParts {
  readonly client: Client;
  readonly events: EventRecorder;
  readonly nodeName: string;
  readonly volumes: PodVolumes;
  readonly clock: Clock;
}

/** Grows the file system of a claim whose volume has grown, and updates the capacity of the claim. */
export async function growVolume(mounted: MountedClaim, parts: GrowParts): Promise<void> {
  const { key, volumeName, pod } = mounted;
  const [namespace = '', name = ''] = key.split('/');
  const claims = parts.client.core.v1.persistentvolumeclaims.namespace(namespace);
  const claim = await claims.get(name).catch((error: unknown) => {
    if (hasReason(error, 'NotFound')) return undefined;
    throw error;
  });
  if (claim === undefined || !isWaitingForNode(claim)) return;
  const { resourceVersion } = claim.metadata;
  const inProgress = { allocatedResourceStatuses: { storage: 'NodeResizeInProgress' } };
  const begun = await claims.status.patch(name, mergePatch({ metadata: { resourceVersion }, status: inProgress }));
  const volume = await parts.client.core.v1.persistentvolumes.get(volumeName);
  try {
    await parts.volumes.grow(mounted, volume, claim.status?.capacity?.['storage']);
  } catch (error) {
    const message = `NodeExpandVolume.NodeExpandVolume failed for volume "${volumeName}" : ${messageOf(error)}`;
    parts.events.event(pod, { type: 'Warning', reason: 'VolumeResizeFailed', message });
    if (error instanceof VolumeGrowError && error.outcome !== 'unknown')
      await claims.status.patch(name, mergePatch({ status: failedStatus(begun, error, parts.clock.now()) }));
    return; // unless the size is infeasible, the claim still waits for the node, which tries again
  }
  const storage = volume.spec?.capacity?.['storage'];
  const conditions = (begun.status?.conditions ?? []).filter(({ type }) => !FAMILY.has(type));
  const { storage: _, ...others } = begun.status?.allocatedResourceStatuses ?? {};
  const status = {
    capacity: { storage },
    conditions: conditions.length === 0 ? null : conditions,
    allocatedResourceStatuses: Object.keys(others).length === 0 ? null : { ...others, storage: null },
  };
  await claims.status.patch(
    name,
    mergePatch({ metadata: { resourceVersion: begun.metadata.resourceVersion }, status }),
  );
  const message = `MountVolume.NodeExpandVolume succeeded for volume "${volumeName}" ${parts.nodeName}`;
  for (const about of [pod, claim]) parts.events.event(about, { reason: 'FileSystemResizeSuccessful', message });
}

/** Shows that a driver has refused to grow a volume. A size that is infeasible is given up until the claim asks for another. */
function failedStatus({ status }: Observed<PersistentVolumeClaim>, error: VolumeGrowError, nowMs: number): object {
  const condition = {
    type: 'NodeResizeError',
    status: 'True',
    lastTransitionTime: new Date(nowMs).toISOString().replace(/\.\d+Z$/, 'Z'),
    message: `failed to expand pvc with ${messageOf(error)}`,
  };
  const others = (status?.conditions ?? []).filter(({ type }) => type !== condition.type);
  const infeasible = { allocatedResourceStatuses: { storage: 'NodeResizeInfeasible' } };
  return { conditions: [...others, condition], ...(error.outcome === 'infeasible' ? infeasible : {}) };
}

function isWaitingForNode({ status }: Observed<PersistentVolumeClaim>): boolean {
  return WAITING.has(status?.allocatedResourceStatuses?.['storage'] ?? '');
}
