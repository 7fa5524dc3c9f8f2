import { messageOf } from '../../base/index.ts';
import { requestOf, storageIn } from '../../api/meaning/index.ts';
import { type Quantity, quantityOf } from '../../api/values/index.ts';
import {
  ItemBackoff,
  mergePatch,
  type Observed,
  PersistentVolume,
  PersistentVolumeClaim,
  Pod,
} from '../../client/index.ts';
import { controller, type Part, type ReconcileContext, watch } from '../../kit/index.ts';
import {
  isReachable,
  NotReadyError,
  readSecret,
  type SidecarSettings,
  volumeCapabilityOf,
  type VolumeDriver,
  VolumeDriverError,
  withDriverBackoff,
  workOf,
} from '../volume-provisioner/index.ts';
import { patchClaim, withConditions } from './claim-status.ts';
import { targetSize } from './target-size.ts';

/** The conditions that report the expansion of a volume. */
const FAMILY = ['Resizing', 'FileSystemResizePending', 'ControllerResizeError', 'NodeResizeError'];
/** The previous capacity of the volume, kept until the claim has the new one. */
const BEFORE_RESIZE = 'volume.alpha.kubernetes.io/pre-resize-capacity';
/** Tells the node that nothing is left to do for it. */
const NODE_NOT_NEEDED = 'volume.kubernetes.io/node-expansion-not-required';
/** Driver errors for which retrying does not help. */
const INFEASIBLE = new Set(['InvalidArgument', 'OutOfRange', 'NotFound']);

type Claim = Observed<PersistentVolumeClaim>;
type Volume = Observed<PersistentVolume>;

/** Calls a driver to expand volumes whose claims request more, as the external-resizer sidecar does. */
export function volumeResizer(driver: VolumeDriver, settings: SidecarSettings = {}): readonly Part[] {
  if (driver.controllerExpandVolume === undefined && driver.features?.expandsOnNodesOnly !== true) return [];
  const { concurrency, retries } = workOf(settings);
  const backoff = new ItemBackoff(retries);
  const resizer = new Resizer(driver, settings);
  const { handlesVolumesInUse = true } = settings;
  return [
    controller(PersistentVolumeClaim, {
      name: 'volume-resizer',
      component: `external-resizer ${driver.name}`,
      concurrency,
      reads: [PersistentVolume],
      watches: handlesVolumesInUse
        ? [watch(Pod, { to: (pod) => resizer.waitingFor(pod), when: (_, old) => old !== undefined })]
        : [],
      when: hasRelevantChange,
      reconcile: (claim, context) => withDriverBackoff(backoff, context, () => resizer.resize(claim, context)),
      gone: (key) => {
        backoff.forget(key);
        resizer.forget(key);
      },
    }),
  ];
}

/** Ignores the resizer's own status updates: otherwise it would call a refusing driver again and again. */
function hasRelevantChange(claim: Claim, old: Claim | undefined): boolean {
  if (claim.status?.phase !== 'Bound') return false;
  const nodeFailed = (each: Claim): boolean =>
    each.status?.allocatedResourceStatuses?.['storage'] === 'NodeResizeInfeasible';
  const isSame =
    old?.status?.phase === 'Bound' &&
    requestOf(claim).compare(requestOf(old)) === 0 &&
    storageIn(claim.status.capacity).compare(storageIn(old.status.capacity)) === 0 &&
    nodeFailed(claim) === nodeFailed(old);
  return !isSame;
}

/** Expands the volumes of one driver. */
class Resizer {
  readonly #driver: VolumeDriver;
  readonly #settings: SidecarSettings;
  /** Claims whose last expansion has certainly ended with an error. */
  readonly #failed = new Set<string>();
  /** Claims whose volumes can only be expanded while no pod uses them. */
  readonly #inUse = new Set<string>();

  constructor(driver: VolumeDriver, settings: SidecarSettings) {
    this.#driver = driver;
    this.#settings = settings;
  }

  /** The claims of a pod that wait until it ends. */
  waitingFor({ metadata, spec }: Observed<Pod>): readonly string[] {
    if (this.#inUse.size === 0) return [];
    return (spec?.volumes ?? [])
      .map((volume) => `${metadata.namespace}/${volume.persistentVolumeClaim?.claimName ?? ''}`)
      .filter((key) => this.#inUse.has(key));
  }

  forget(key: string): void {
    this.#failed.delete(key);
    this.#inUse.delete(key);
  }

  async resize(claim: Claim, context: ReconcileContext): Promise<void> {
    const { key, event, objects } = context;
    const volume = objects(PersistentVolume).get(claim.spec?.volumeName ?? '');
    const isOurs = volume?.spec?.csi?.driver === this.#driver.name && volume.spec.claimRef?.uid === claim.metadata.uid;
    if (volume === undefined || !isOurs || claim.status?.phase !== 'Bound') return;
    if (this.#settings.node !== undefined && !isReachable(volume, this.#settings.node)) return;
    if (requestOf(claim).compare(storageIn(claim.status.capacity)) <= 0)
      return await removePreviousCapacity(volume, context);
    const wanted = targetSize(claim, volume, {
      hasFailed: this.#failed.has(key),
      isDoneByController: this.#driver.controllerExpandVolume !== undefined,
    });
    if (wanted === undefined) return;
    const asked = await announce(claim, wanted, context);
    if (this.#inUse.has(key) && (await isUsed(claim, context))) {
      const message = `Unable to expand ${key} because CSI driver ${this.#driver.name} only supports offline expansion and volume is currently in-use`;
      event({ type: 'Warning', reason: 'VolumeResizeFailed', message });
      throw new NotReadyError(message);
    }
    this.#inUse.delete(key);
    event({ reason: 'Resizing', message: `External resizer is resizing volume ${volume.metadata.name}` });
    try {
      const made = await this.#expand(volume, wanted, context);
      this.#failed.delete(key);
      await conclude(asked, volume, { made, context });
    } catch (error) {
      await this.#tellFailure(asked, volume, { error, context });
      throw error;
    }
  }

  async #expand(volume: Volume, wanted: Quantity, { client, signal }: ReconcileContext): Promise<Outcome['made']> {
    const requiredBytes = wanted.value();
    if (this.#driver.controllerExpandVolume === undefined)
      return { capacityBytes: requiredBytes, nodeExpansionRequired: true };
    const { spec = {} } = volume;
    const secrets = await readSecret(client, spec.csi?.controllerExpandSecretRef);
    const request = {
      volumeId: spec.csi?.volumeHandle ?? '',
      capacityRange: { requiredBytes },
      volumeCapability: volumeCapabilityOf(spec),
    };
    return await this.#driver.controllerExpandVolume(
      { ...request, ...(secrets === undefined ? {} : { secrets }) },
      { signal },
    );
  }

  async #tellFailure(
    claim: Claim,
    volume: Volume,
    { error, context }: { readonly error: unknown; readonly context: ReconcileContext },
  ): Promise<void> {
    if (!(error instanceof VolumeDriverError || error instanceof NotReadyError)) return;
    const { event, key, clock } = context;
    const message = `resize volume "${volume.metadata.name}" by resizer "${this.#driver.name}" failed: ${messageOf(error)}`;
    if (error instanceof VolumeDriverError) {
      const isFinal = !error.isUncertain && error.code !== 'ResourceExhausted';
      if (isFinal) this.#failed.add(key);
      else this.#failed.delete(key);
      const { handlesVolumesInUse = true } = this.#settings;
      if (error.code === 'FailedPrecondition' && handlesVolumesInUse) this.#inUse.add(key);
      if (isFinal) {
        const stated = [{ type: 'ControllerResizeError', message: `failed to expand pvc with ${messageOf(error)}` }];
        const conditions = withConditions(claim, FAMILY, { stated, nowMs: clock.now(), keepsOthers: true });
        const isInfeasible = INFEASIBLE.has(error.code);
        const failed = { allocatedResourceStatuses: { storage: 'ControllerResizeInfeasible' } };
        await patchClaim(claim, { conditions, ...(isInfeasible ? failed : {}) }, context);
      }
    }
    event({ type: 'Warning', reason: 'VolumeResizeFailed', message });
  }
}

async function isUsed({ metadata }: Claim, { client, signal }: ReconcileContext): Promise<boolean> {
  const { items } = await client
    .kind(Pod)
    .namespace(metadata.namespace ?? '')
    .list({ signal });
  return items.some(
    ({ spec, status }) =>
      status?.phase !== 'Succeeded' &&
      status?.phase !== 'Failed' &&
      (spec?.volumes ?? []).some((volume) => volume.persistentVolumeClaim?.claimName === metadata.name),
  );
}

async function announce(claim: Claim, wanted: Quantity, context: ReconcileContext): Promise<Claim> {
  const storage = wanted.toString();
  const { allocatedResources } = claim.status ?? {};
  const isRepeated = allocatedResources !== undefined && storageIn(allocatedResources).compare(wanted) === 0;
  const conditions = withConditions(claim, FAMILY, {
    stated: [{ type: 'Resizing' }],
    nowMs: context.clock.now(),
    keepsOthers: isRepeated,
  });
  const status = isRepeated ? {} : { allocatedResourceStatuses: { storage: 'ControllerResizeInProgress' } };
  const noted = await setNodeNotNeeded(claim, false, context);
  return await patchClaim(noted, { conditions, allocatedResources: { storage }, ...status }, context);
}

/** Sets or removes the annotation for the node. */
async function setNodeNotNeeded(
  claim: Claim,
  isWanted: boolean,
  { objects, key }: Pick<ReconcileContext, 'objects' | 'key'>,
): Promise<Claim> {
  const { annotations = {}, resourceVersion } = claim.metadata;
  if ((annotations[NODE_NOT_NEEDED] !== undefined) === isWanted) return claim;
  const changed = { [NODE_NOT_NEEDED]: isWanted ? 'true' : null };
  const patch = mergePatch({ metadata: { resourceVersion, annotations: changed } });
  return await objects(PersistentVolumeClaim).patch(key, patch);
}

interface Outcome {
  readonly made: { readonly capacityBytes: number; readonly nodeExpansionRequired: boolean };
  readonly context: ReconcileContext;
}

async function conclude(claim: Claim, volume: Volume, { made, context }: Outcome): Promise<void> {
  const { event, clock, objects } = context;
  const storage = quantityOf(made.capacityBytes, 'BinarySI').toString();
  const before = claim.status?.capacity?.['storage'];
  const isNoted = volume.metadata.annotations?.[BEFORE_RESIZE] !== undefined || !made.nodeExpansionRequired;
  const metadata = isNoted ? {} : { metadata: { annotations: { [BEFORE_RESIZE]: before } } };
  await objects(PersistentVolume).patch(
    volume.metadata.name,
    mergePatch({ ...metadata, spec: { capacity: { storage } } }),
  );
  if (!made.nodeExpansionRequired) {
    const noted = await setNodeNotNeeded(claim, true, context);
    const conditions = withConditions(noted, FAMILY, { stated: [], nowMs: clock.now() });
    await patchClaim(noted, { conditions, capacity: { storage }, allocatedResourceStatuses: null }, context);
    event({ reason: 'VolumeResizeSuccessful', message: 'Resize volume succeeded' });
    return;
  }
  const message = 'Waiting for user to (re-)start a pod to finish file system resize of volume on node.';
  const stated = [{ type: 'FileSystemResizePending', message }];
  const conditions = withConditions(claim, FAMILY, { stated, nowMs: clock.now(), keepsOthers: true });
  await patchClaim(claim, { conditions, allocatedResourceStatuses: { storage: 'NodeResizePending' } }, context);
  event({ reason: 'FileSystemResizeRequired', message: 'Require file system resize of volume on node' });
}

/** Removes the previous capacity after the claim has the new one. */
async function removePreviousCapacity({ metadata }: Volume, { objects }: ReconcileContext): Promise<void> {
  if (metadata.annotations?.[BEFORE_RESIZE] === undefined) return;
  const patch = mergePatch({ metadata: { annotations: { [BEFORE_RESIZE]: null } } });
  await objects(PersistentVolume).patch(metadata.name, patch);
}
