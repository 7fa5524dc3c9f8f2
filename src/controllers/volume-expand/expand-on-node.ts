import { requestOf, storageIn } from '../../api/meaning/index.ts';
import { mergePatch, type Observed, PersistentVolume, PersistentVolumeClaim } from '../../client/index.ts';
import type { ReconcileContext } from '../../kit/index.ts';
import { patchClaim, withConditions } from '../volume-resizer/claim-status.ts';

type Claim = Observed<PersistentVolumeClaim>;
type Volume = Observed<PersistentVolume>;

/** The previous capacity of the volume, kept until the claim has the new one. */
const BEFORE_RESIZE = 'volume.alpha.kubernetes.io/pre-resize-capacity';
const RESIZER = 'volume.kubernetes.io/storage-resizer';
const FAMILY = ['Resizing', 'FileSystemResizePending', 'ControllerResizeError', 'NodeResizeError'];
/** Statuses with which an expansion that was begun goes on to the size that it was begun with. */
const BEGUN = new Set([
  'ControllerResizeInProgress',
  'NodeResizePending',
  'NodeResizeInProgress',
  'NodeResizeInfeasible',
]);

/** Gives a volume its new size here, and leaves the work to the node: the drivers of FlexVolumes are there, and not with the controller. */
export async function expandOnNode(claim: Claim, volume: Volume, context: ReconcileContext): Promise<void> {
  const { objects } = context;
  const { name, annotations = {} } = volume.metadata;
  const [wanted, present] = [requestOf(claim), storageIn(volume.spec?.capacity)];
  const status = claim.status?.allocatedResourceStatuses?.['storage'] ?? '';
  if (wanted.compare(storageIn(claim.status?.capacity)) <= 0) {
    if (annotations[BEFORE_RESIZE] === undefined) return;
    await objects(PersistentVolume).patch(name, mergePatch({ metadata: { annotations: { [BEFORE_RESIZE]: null } } }));
    return;
  }
  const isLarge = present.compare(wanted) >= 0;
  if (isLarge && (status === 'NodeResizePending' || status === 'NodeResizeInProgress')) return;
  const allocated = claim.status?.allocatedResources?.['storage'];
  const storage = BEGUN.has(status) && allocated !== undefined ? allocated : wanted.toString();
  const nowMs = context.clock.now();
  const resizer = { [RESIZER]: volume.spec?.flexVolume?.driver ?? '' };
  const named = await objects(PersistentVolumeClaim).patchStatus(
    context.key,
    mergePatch({ metadata: { annotations: resizer, resourceVersion: claim.metadata.resourceVersion } }),
  );
  const begun = await patchClaim(
    named,
    {
      conditions: withConditions(claim, FAMILY, { stated: [{ type: 'Resizing' }], nowMs }),
      allocatedResources: { storage },
      allocatedResourceStatuses: { storage: 'ControllerResizeInProgress' },
    },
    context,
  );
  const before = annotations[BEFORE_RESIZE] ?? claim.status?.capacity?.['storage'];
  const patch = { metadata: { annotations: { [BEFORE_RESIZE]: before } }, spec: { capacity: { storage } } };
  await objects(PersistentVolume).patch(name, mergePatch(patch));
  const message = 'Waiting for user to (re-)start a pod to finish file system resize of volume on node.';
  const stated = [{ type: 'Resizing' }, { type: 'FileSystemResizePending', message }];
  const conditions = withConditions(begun, FAMILY, { stated, nowMs });
  await patchClaim(begun, { conditions, allocatedResourceStatuses: { storage: 'NodeResizePending' } }, context);
}
