import { amountsOf } from '../../api/meaning/index.ts';
import { type Clock, KeyedTurns, messageOf } from '../../base/index.ts';
import {
  hasReason,
  mergePatch,
  type Client,
  type Observed,
  type PersistentVolume,
  type PersistentVolumeClaim,
} from '../../client/index.ts';
import type { EventRecorder } from '../../kit/index.ts';
import { VolumeGrowError } from '../backend/index.ts';
import type { MountedClaim, PodVolumes } from './pod-volumes.ts';
import { VolumeNotGrown } from './volume-errors.ts';

/** Interval at which mounted claims are checked. */
export const GROW_EVERY_MS = 10_000;
/** Conditions that show the progress of a resize. */
const FAMILY = new Set(['Resizing', 'FileSystemResizePending', 'ControllerResizeError', 'NodeResizeError']);
/** Resize statuses with which a claim waits for its node. */
const WAITING = new Set(['NodeResizePending', 'NodeResizeInProgress']);
/** Set on claims whose driver grows volumes without the nodes. */
const NOT_ON_NODES = 'volume.kubernetes.io/node-expansion-not-required';

type Claim = Observed<PersistentVolumeClaim>;

export interface GrowParts {
  readonly client: Client;
  readonly events: EventRecorder;
  readonly nodeName: string;
  readonly volumes: Pick<PodVolumes, 'grow'>;
  readonly clock: Clock;
}

/** What is known of a mounted volume. */
interface Growth {
  /** Size up to which its file system has grown on this node. */
  bytes: number;
  /** The driver has said that an expansion has failed and is over. */
  hasFailed: boolean;
  /** The driver does not expand the volume while it is mounted. */
  isTooBusy: boolean;
}

/**
 * Why a volume has to grow: its claim waits for the node; it was resized by a controller that does not tell what the claim waits for; or
 * another node has grown it, and the file system is one that each node grows for itself.
 */
type Cause = 'waiting' | 'untold' | 'elsewhere';

/** Grows the file systems of claims whose volumes have grown, and updates the capacity of the claims. */
export class VolumeGrower {
  readonly #parts: GrowParts;
  /** By the name of the PersistentVolume. */
  readonly #growths = new Map<string, Growth>();
  /** One attempt at a time on a volume, whichever of its pods it is for. */
  readonly #turns = new KeyedTurns();

  constructor(parts: GrowParts) {
    this.#parts = parts;
  }

  /** Whether a volume that has just been mounted has to grow before containers use it. Notes the size that it has. */
  isDue({ volumeName }: MountedClaim, claim: Claim): boolean {
    return causeOf(claim, this.#growthOf(volumeName, claim)) !== undefined;
  }

  /** Grows a volume, if its claim asks for that. Throws when it has just been mounted, and the pod has to wait until it has grown. */
  async grow(mounted: MountedClaim, { isMounting }: { readonly isMounting: boolean }): Promise<void> {
    const { volumeName: specName, source } = mounted;
    try {
      await this.#turns.take(specName, () => this.#grow(mounted, isMounting));
    } catch (error) {
      const isBlock = source.persistentVolume?.spec?.volumeMode === 'Block';
      throw isMounting ? new VolumeNotGrown({ specName, isBlock }, error) : error;
    }
  }

  async #grow(mounted: MountedClaim, isMounting: boolean): Promise<void> {
    const claim = await this.#read(mounted);
    if (claim === undefined) return;
    const growth = this.#growthOf(mounted.volumeName, claim);
    const cause = causeOf(claim, growth);
    if (cause === undefined || (growth.isTooBusy && !isMounting)) return;
    if (mounted.source.volume.persistentVolumeClaim?.readOnly === true) {
      growth.isTooBusy = true;
      this.#recordReadOnly(mounted, claim);
      return;
    }
    const begun = cause === 'waiting' ? await this.#begin(claim) : claim;
    const volume = await this.#volumeToBe(mounted, claim);
    try {
      await this.#parts.volumes.grow(mounted, volume, claim.status?.capacity?.['storage']);
    } catch (error) {
      await this.#failed(mounted, { claim, begun, volume, error, cause, isMounting });
      return;
    }
    const storage = volume.spec?.capacity?.['storage'];
    growth.bytes = bytesOf(storage);
    growth.hasFailed = false;
    if (cause !== 'elsewhere') await this.#finish(begun, storage);
    const { volumeName, pod } = mounted;
    const message = `MountVolume.NodeExpandVolume succeeded for volume "${volumeName}" ${this.#parts.nodeName}`;
    for (const about of [pod, claim])
      this.#parts.events.event(about, { reason: 'FileSystemResizeSuccessful', message });
  }

  /** Forgets volumes that no pod of the node has any more. */
  forgetOthers(mounted: readonly MountedClaim[]): void {
    const names = new Set(mounted.map(({ volumeName }) => volumeName));
    for (const name of this.#growths.keys()) if (!names.has(name)) this.#growths.delete(name);
  }

  #growthOf(volumeName: string, { status }: Claim): Growth {
    const known = this.#growths.get(volumeName);
    if (known !== undefined) return known;
    const growth = { bytes: bytesOf(status?.capacity?.['storage']), hasFailed: false, isTooBusy: false };
    this.#growths.set(volumeName, growth);
    return growth;
  }

  #claims(key: string): {
    readonly claims: ReturnType<Client['core']['v1']['persistentvolumeclaims']['namespace']>;
    readonly name: string;
  } {
    const [namespace = '', name = ''] = key.split('/');
    return { claims: this.#parts.client.core.v1.persistentvolumeclaims.namespace(namespace), name };
  }

  async #read({ key }: MountedClaim): Promise<Claim | undefined> {
    const { claims, name } = this.#claims(key);
    return await claims.get(name).catch((error: unknown) => {
      if (hasReason(error, 'NotFound')) return undefined;
      throw error;
    });
  }

  async #patch({ metadata }: Pick<Claim, 'metadata'>, body: object): Promise<Claim> {
    const { claims, name } = this.#claims(`${metadata.namespace ?? ''}/${metadata.name}`);
    return await claims.status.patch(name, mergePatch(body));
  }

  async #begin(claim: Claim): Promise<Claim> {
    const { resourceVersion } = claim.metadata;
    const inProgress = { allocatedResourceStatuses: { storage: 'NodeResizeInProgress' } };
    return await this.#patch(claim, { metadata: { resourceVersion }, status: inProgress });
  }

  async #finish({ metadata, status: before }: Claim, storage: string | undefined): Promise<void> {
    const conditions = (before?.conditions ?? []).filter(({ type }) => !FAMILY.has(type));
    const { storage: resize, ...others } = before?.allocatedResourceStatuses ?? {};
    const status = {
      capacity: { storage },
      conditions: conditions.length === 0 ? null : conditions,
      ...(resize === undefined
        ? {}
        : { allocatedResourceStatuses: Object.keys(others).length === 0 ? null : { ...others, storage: null } }),
    };
    await this.#patch({ metadata }, { metadata: { resourceVersion: metadata.resourceVersion }, status });
  }

  /** The volume with the size that is allocated to its claim: less than the volume's own where the claim has given a larger size up. */
  async #volumeToBe({ volumeName }: MountedClaim, { status }: Claim): Promise<Observed<PersistentVolume>> {
    const volume = await this.#parts.client.core.v1.persistentvolumes.get(volumeName);
    const storage = status?.allocatedResources?.['storage'];
    if (storage === undefined) return volume;
    return { ...volume, spec: { ...volume.spec, capacity: { ...volume.spec?.capacity, storage } } };
  }

  /** Notes a failure in the claim. A pod whose volume has just been mounted waits, unless the driver expands no volumes in use. */
  async #failed(
    { volumeName, pod }: MountedClaim,
    {
      claim,
      begun,
      volume,
      error,
      cause,
      isMounting,
    }: {
      readonly claim: Claim;
      readonly begun: Claim;
      readonly volume: Observed<PersistentVolume>;
      readonly error: unknown;
      readonly cause: Cause;
      readonly isMounting: boolean;
    },
  ): Promise<void> {
    const growth = this.#growthOf(volumeName, claim);
    const outcome = error instanceof VolumeGrowError ? error.outcome : 'unknown';
    // the claim asks for another size by now: this one has failed for good, and the controller may try the other
    const isGivenUp =
      growth.hasFailed &&
      bytesOf(claim.spec?.resources?.requests?.['storage']) !== bytesOf(volume.spec?.capacity?.['storage']);
    growth.isTooBusy = outcome === 'in use';
    if (outcome !== 'unknown') {
      growth.hasFailed = true;
      const isInfeasible = outcome === 'infeasible' || isGivenUp;
      const status = failedStatus(begun, { isInfeasible, message: messageOf(error), nowMs: this.#parts.clock.now() });
      if (cause === 'waiting') await this.#patch(begun, { status });
    }
    if (growth.isTooBusy) return;
    if (isMounting) throw error;
    const message = `NodeExpandVolume.NodeExpandVolume failed for volume "${volumeName}" : ${messageOf(error)}`;
    this.#parts.events.event(pod, { type: 'Warning', reason: 'VolumeResizeFailed', message });
  }

  #recordReadOnly({ volumeName, pod }: MountedClaim, claim: Claim): void {
    const message = `MountVolume.NodeExpandVolume failed for volume "${volumeName}" requested read-only file system`;
    for (const about of [pod, claim])
      this.#parts.events.event(about, { type: 'Warning', reason: 'FileSystemResizeFailed', message });
  }
}

/** Why the volume of a claim has to grow on this node; undefined when it has not. */
function causeOf({ metadata, spec, status }: Claim, { bytes }: Growth): Cause | undefined {
  const resize = status?.allocatedResourceStatuses?.['storage'] ?? '';
  if (WAITING.has(resize)) return 'waiting';
  if (resize !== '') return undefined;
  const isPending = status?.conditions?.some(({ type }) => type === 'FileSystemResizePending') === true;
  if (isPending && status?.allocatedResources === undefined) return 'untold';
  const isForEachNode =
    spec?.accessModes?.includes('ReadWriteMany') === true && metadata.annotations?.[NOT_ON_NODES] === undefined;
  return isForEachNode && bytesOf(status?.capacity?.['storage']) > bytes ? 'elsewhere' : undefined;
}

function bytesOf(size: string | undefined): number {
  return (
    amountsOf(size === undefined ? {} : { size })
      .get('size')
      ?.value() ?? 0
  );
}

/** Shows that a driver has refused to grow a volume. A size that is infeasible is given up until the claim asks for another. */
function failedStatus(
  { status }: Claim,
  {
    isInfeasible,
    message,
    nowMs,
  }: { readonly isInfeasible: boolean; readonly message: string; readonly nowMs: number },
): object {
  const condition = {
    type: 'NodeResizeError',
    status: 'True',
    lastTransitionTime: new Date(nowMs).toISOString().replace(/\.\d+Z$/, 'Z'),
    message: `failed to expand pvc with ${message}`,
  };
  const others = (status?.conditions ?? []).filter(({ type }) => type !== condition.type);
  const infeasible = { allocatedResourceStatuses: { storage: 'NodeResizeInfeasible' } };
  return { conditions: [...others, condition], ...(isInfeasible ? infeasible : {}) };
}
