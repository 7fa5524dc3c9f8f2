import { messageOf } from '../../base/index.ts';
import {
  claimNameOf,
  claimVolumesOf,
  type DriverHandle,
  ephemeralClaimProblem,
  isAttachRequired,
  uniqueVolumeName,
} from '../../api/meaning/index.ts';
import {
  type Client,
  hasReason,
  type Node,
  type Observed,
  type PersistentVolume,
  type PersistentVolumeClaim,
  type Pod,
} from '../../client/index.ts';
import type { Volume, VolumeMounter } from '../runtime/index.ts';
import type { VolumesInUse } from './volumes-in-use.ts';

const PROTECTION = 'kubernetes.io/pvc-protection';

/** A volume cannot be mounted yet: because of its claim, or because nobody has attached it to the node. */
export class VolumeNotReady extends Error {
  /** By its name in the pod. */
  readonly volume: string;
  readonly reason: 'claim' | 'attachment';

  constructor(volume: string, reason: 'claim' | 'attachment', message: string) {
    super(message);
    this.name = 'VolumeNotReady';
    this.volume = volume;
    this.reason = reason;
  }
}

export interface ClaimedVolumesParts {
  readonly client: Client;
  readonly inUse: VolumesInUse;
  /** The node as the cluster knows it. */
  node(): Observed<Node> | undefined;
  /** A volume of a driver was mounted: from now on it may grow. */
  mounted(): void;
}

/** A claim that is mounted, by its key. */
export interface MountedClaim {
  readonly key: string;
  readonly volumeName: string;
  readonly pod: Observed<Pod>;
}

/** Mounts volumes of claims when those are bound and attached. What was mounted stays so, whatever becomes of the claim. */
export class ClaimedVolumes implements VolumeMounter {
  readonly #mounter: VolumeMounter;
  readonly #parts: ClaimedVolumesParts;
  /** By the uid of the pod and the volume's name in it. */
  readonly #mounted = new Map<string, Map<string, MountedClaim>>();

  constructor(mounter: VolumeMounter, parts: ClaimedVolumesParts) {
    this.#mounter = mounter;
    this.#parts = parts;
  }

  /** What is mounted of drivers: such volumes may grow. */
  mountedClaims(): MountedClaim[] {
    return [...this.#mounted.values()].flatMap((volumes) => [...volumes.values()]);
  }

  async mount(pod: Observed<Pod>, volume: Volume, options: { readonly signal: AbortSignal }): Promise<string> {
    const name = claimNameOf(pod, volume);
    if (name === undefined) return await this.#mounter.mount(pod, volume, options);
    const { uid } = pod.metadata;
    if (this.#mounted.get(uid)?.has(volume.name) === true) return await this.#mounter.mount(pod, volume, options);
    const bound = await this.#check(pod, { volume, name, ...options });
    const { csi } = bound.spec ?? {};
    if (csi !== undefined) await this.#awaitAttachment(pod, volume, csi);
    const path = await this.#mounter.mount(pod, volume, options);
    this.#remember(pod, volume.name, { name, volumeName: bound.metadata.name });
    return path;
  }

  async readFile(path: string): Promise<string | undefined> {
    return await this.#mounter.readFile(path);
  }

  async unmountAll(pod: Observed<Pod>): Promise<void> {
    this.#mounted.delete(pod.metadata.uid);
    await this.#mounter.unmountAll(pod);
    this.#parts.inUse.release(pod.metadata.uid);
  }

  /** Takes a pod over that runs already: what it uses was mounted by an earlier life of this node. */
  async adopt(pod: Observed<Pod>): Promise<void> {
    const { namespace = '', uid } = pod.metadata;
    if (this.#mounted.has(uid)) return;
    for (const { volume, claim: name } of claimVolumesOf(pod)) {
      try {
        const claim = await this.#claims(namespace).get(name);
        const bound = await this.#parts.client.core.v1.persistentvolumes.get(claim.spec?.volumeName ?? '');
        const { csi } = bound.spec ?? {};
        if (csi !== undefined && (await this.#isToBeAttached(csi))) this.#parts.inUse.add(uniqueVolumeName(csi), uid);
        this.#remember(pod, volume, { name, volumeName: bound.metadata.name });
      } catch (error) {
        if (!hasReason(error, 'NotFound')) throw error;
      }
    }
  }

  #remember(
    pod: Observed<Pod>,
    volume: string,
    { name, volumeName }: { readonly name: string; readonly volumeName: string },
  ): void {
    const { uid, namespace } = pod.metadata;
    const volumes = this.#mounted.get(uid) ?? new Map<string, MountedClaim>();
    this.#mounted.set(uid, volumes.set(volume, { key: `${namespace}/${name}`, volumeName, pod }));
    this.#parts.mounted();
  }

  /** Says first that the volume is in use, so that nobody detaches it; then somebody has to attach it. */
  async #awaitAttachment(pod: Observed<Pod>, volume: Volume, handle: DriverHandle): Promise<void> {
    if (!(await this.#isToBeAttached(handle))) return;
    const unique = uniqueVolumeName(handle);
    this.#parts.inUse.add(unique, pod.metadata.uid);
    const { volumesAttached = [], volumesInUse = [] } = this.#parts.node()?.status ?? {};
    const isThere = volumesInUse.includes(unique) && volumesAttached.some(({ name }) => name === unique);
    if (!isThere) throw new VolumeNotReady(volume.name, 'attachment', 'context deadline exceeded');
  }

  async #isToBeAttached({ driver }: DriverHandle): Promise<boolean> {
    try {
      return isAttachRequired(await this.#parts.client.storage.v1.csidrivers.get(driver));
    } catch (error) {
      if (hasReason(error, 'NotFound')) return true;
      throw error;
    }
  }

  #claims(namespace: string): ReturnType<Client['core']['v1']['persistentvolumeclaims']['namespace']> {
    return this.#parts.client.core.v1.persistentvolumeclaims.namespace(namespace);
  }

  /** The volume that a claim is bound to. */
  async #check(
    pod: Observed<Pod>,
    { volume, name, signal }: { readonly volume: Volume; readonly name: string; readonly signal: AbortSignal },
  ): Promise<Observed<PersistentVolume>> {
    const { namespace = '' } = pod.metadata;
    const problem = (words: string): VolumeNotReady =>
      new VolumeNotReady(volume.name, 'claim', `error processing PVC ${namespace}/${name}: ${words}`);
    const claim = await this.#claims(namespace)
      .get(name, { signal })
      .catch((error: unknown) => {
        throw problem(`failed to fetch PVC from API server: ${messageOf(error)}`);
      });
    const unbound = unboundProblem(claim);
    if (unbound !== undefined) throw problem(unbound);
    const stranger = volume.ephemeral === undefined ? undefined : ephemeralClaimProblem(claim, pod);
    if (stranger !== undefined) throw new VolumeNotReady(volume.name, 'claim', stranger);
    const { volumeName = '' } = claim.spec ?? {};
    const bound = await this.#parts.client.core.v1.persistentvolumes
      .get(volumeName, { signal })
      .catch((error: unknown) => {
        throw problem(`failed to fetch PV ${volumeName} from API server: ${messageOf(error)}`);
      });
    const { claimRef } = bound.spec ?? {};
    const there = `found PV object ${volumeName} but`;
    if (claimRef === undefined)
      throw problem(`${there} it has a nil pv.Spec.ClaimRef indicating it is not yet bound to the claim`);
    if (claimRef.uid === claim.metadata.uid) return bound;
    const uids = `${claimRef.uid ?? ''} does not point to claim.UID ${claim.metadata.uid}`;
    throw problem(`${there} its pv.Spec.ClaimRef.UID ${uids}`);
  }
}

/** Why a claim has no volume to be mounted; undefined if it has. */
function unboundProblem({ metadata, spec, status }: Observed<PersistentVolumeClaim>): string | undefined {
  if (metadata.deletionTimestamp !== undefined && metadata.finalizers?.includes(PROTECTION) !== true)
    return 'PVC is being deleted';
  if (status?.phase !== 'Bound') return 'PVC is not bound';
  return (spec?.volumeName ?? '') === '' ? 'PVC has empty pvc.Spec.VolumeName' : undefined;
}
