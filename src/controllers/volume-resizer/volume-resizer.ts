import { messageOf } from '../../base/index.ts';
import { requestOf, storageIn } from '../../api/meaning/index.ts';
import { quantityOf } from '../../api/values/index.ts';
import { ItemBackoff, mergePatch, type Observed, PersistentVolume, PersistentVolumeClaim } from '../../client/index.ts';
import { controller, type Part, type ReconcileContext } from '../../kit/index.ts';
import {
  DRIVER_RETRIES,
  withDriverBackoff,
  type VolumeDriver,
  VolumeDriverError,
} from '../volume-provisioner/index.ts';
import { patchClaim, withConditions } from './claim-status.ts';

const CONCURRENCY = 10;
/** The conditions that report the expansion of a volume. */
const FAMILY = ['Resizing', 'FileSystemResizePending', 'ControllerResizeError', 'NodeResizeError'];
/** The previous capacity of the volume, kept until the claim has the new one. */
const BEFORE_RESIZE = 'volume.alpha.kubernetes.io/pre-resize-capacity';
/** Driver errors for which retrying does not help. */
const INFEASIBLE = new Set(['InvalidArgument', 'OutOfRange', 'NotFound']);

type Claim = Observed<PersistentVolumeClaim>;
type Volume = Observed<PersistentVolume>;
type ResizingDriver = VolumeDriver & Required<Pick<VolumeDriver, 'controllerExpandVolume'>>;

/** Calls a driver to expand volumes whose claims request more, as the external-resizer sidecar does. */
export function volumeResizer(driver: VolumeDriver): readonly Part[] {
  if (!resizes(driver)) return [];
  const backoff = new ItemBackoff(DRIVER_RETRIES);
  return [
    controller(PersistentVolumeClaim, {
      name: 'volume-resizer',
      component: `external-resizer ${driver.name}`,
      concurrency: CONCURRENCY,
      reads: [PersistentVolume],
      when: hasRelevantChange,
      reconcile: (claim, context) => withDriverBackoff(backoff, context, () => resize(claim, driver, context)),
      gone: (key) => backoff.forget(key),
    }),
  ];
}

/** Ignores the resizer's own status updates: otherwise it would call a refusing driver again and again. */
function hasRelevantChange(claim: Claim, old: Claim | undefined): boolean {
  if (claim.status?.phase !== 'Bound') return false;
  const isSame =
    old?.status?.phase === 'Bound' &&
    requestOf(claim).compare(requestOf(old)) === 0 &&
    storageIn(claim.status.capacity).compare(storageIn(old.status.capacity)) === 0;
  return !isSame;
}

function resizes(driver: VolumeDriver): driver is ResizingDriver {
  return driver.controllerExpandVolume !== undefined;
}

async function resize(claim: Claim, driver: ResizingDriver, context: ReconcileContext): Promise<void> {
  const volume = context.objects(PersistentVolume).get(claim.spec?.volumeName ?? '');
  const isOurs = volume?.spec?.csi?.driver === driver.name && volume.spec.claimRef?.uid === claim.metadata.uid;
  if (volume === undefined || !isOurs || claim.status?.phase !== 'Bound') return;
  const wanted = requestOf(claim);
  const present = storageIn(claim.status.capacity);
  if (wanted.compare(present) <= 0) return await removePreviousCapacity(volume, context);
  const isLeftToNode = claim.status.allocatedResourceStatuses?.['storage']?.startsWith('NodeResize') === true;
  if (isLeftToNode && storageIn(claim.status.allocatedResources).compare(wanted) >= 0) return;
  const asked = await announce(claim, context);
  context.event({ reason: 'Resizing', message: `External resizer is resizing volume ${volume.metadata.name}` });
  try {
    const { volumeHandle: volumeId = '' } = volume.spec?.csi ?? {};
    const capacityRange = { requiredBytes: wanted.value() };
    const made = await driver.controllerExpandVolume({ volumeId, capacityRange }, { signal: context.signal });
    await conclude(asked, volume, { made, context });
  } catch (error) {
    if (error instanceof VolumeDriverError) await tellFailure(asked, volume, { driver, error, context });
    throw error;
  }
}

async function announce(claim: Claim, context: ReconcileContext): Promise<Claim> {
  const storage = requestOf(claim).toString();
  return await patchClaim(
    claim,
    {
      conditions: withConditions(claim, FAMILY, { stated: [{ type: 'Resizing' }], nowMs: context.clock.now() }),
      allocatedResources: { storage },
      allocatedResourceStatuses: { storage: 'ControllerResizeInProgress' },
    },
    context,
  );
}

interface Outcome {
  readonly made: { readonly capacityBytes: number; readonly nodeExpansionRequired: boolean };
  readonly context: ReconcileContext;
}

async function conclude(claim: Claim, volume: Volume, { made, context }: Outcome): Promise<void> {
  const { event, clock, objects } = context;
  const storage = quantityOf(made.capacityBytes, 'BinarySI').toString();
  const before = claim.status?.capacity?.['storage'];
  const annotations = volume.metadata.annotations?.[BEFORE_RESIZE] === undefined ? { [BEFORE_RESIZE]: before } : {};
  const patch = mergePatch({ metadata: { annotations }, spec: { capacity: { storage } } });
  await objects(PersistentVolume).patch(volume.metadata.name, patch);
  if (!made.nodeExpansionRequired) {
    const conditions = withConditions(claim, FAMILY, { stated: [], nowMs: clock.now() });
    await patchClaim(claim, { conditions, capacity: { storage }, allocatedResourceStatuses: null }, context);
    event({ reason: 'VolumeResizeSuccessful', message: 'Resize volume succeeded' });
    return;
  }
  const message = 'Waiting for user to (re-)start a pod to finish file system resize of volume on node.';
  const pending = withConditions(claim, FAMILY, {
    stated: [{ type: 'FileSystemResizePending', message }],
    nowMs: clock.now(),
  });
  await patchClaim(
    claim,
    { conditions: pending, allocatedResourceStatuses: { storage: 'NodeResizePending' } },
    context,
  );
  event({ reason: 'FileSystemResizeRequired', message: 'Require file system resize of volume on node' });
}

async function tellFailure(
  claim: Claim,
  volume: Volume,
  { driver, error, context }: { driver: VolumeDriver; error: VolumeDriverError; context: ReconcileContext },
): Promise<void> {
  const message = `resize volume "${volume.metadata.name}" by resizer "${driver.name}" failed: ${messageOf(error)}`;
  context.event({ type: 'Warning', reason: 'VolumeResizeFailed', message });
  if (!INFEASIBLE.has(error.code)) return;
  await patchClaim(claim, { allocatedResourceStatuses: { storage: 'ControllerResizeInfeasible' } }, context);
}

/** Removes the previous capacity after the claim has the new one. */
async function removePreviousCapacity({ metadata }: Volume, { objects }: ReconcileContext): Promise<void> {
  if (metadata.annotations?.[BEFORE_RESIZE] === undefined) return;
  const patch = mergePatch({ metadata: { annotations: { [BEFORE_RESIZE]: null } } });
  await objects(PersistentVolume).patch(metadata.name, patch);
}
