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
import { type MountedVolume, type Volume, type VolumePlugin, type VolumeSource } from '../backend/index.ts';
import type { PodContents } from './pod-contents.ts';
import { hasPayload } from './volume-files.ts';
import type { VolumesInUse } from './volumes-in-use.ts';

const PROTECTION = 'kubernetes.io/pvc-protection';

/** A volume cannot be mounted yet: its claim is not bound, or it is not attached to the node. */
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

export interface PodVolumesParts {
  readonly plugins: readonly VolumePlugin[];
  readonly contents: PodContents;
  readonly client: Client;
  readonly inUse: VolumesInUse;
  /** The node as the cluster knows it. */
  node(): Observed<Node> | undefined;
  /** Called when a claim was mounted: its volume may grow from now on. */
  mounted(): void;
}

/** A claim that is mounted, by its key. */
export interface MountedClaim {
  readonly key: string;
  readonly volumeName: string;
  readonly pod: Observed<Pod>;
  readonly source: VolumeSource;
}

interface MountOptions {
  readonly signal: AbortSignal;
}

/**
 * The volumes of a node's pods: each is mounted by the first plugin that supports it, those of claims when the claim is bound and
 * the volume attached. Mounted volumes stay mounted even if the claim changes.
 */
export class PodVolumes {
  readonly #parts: PodVolumesParts;
  /** By the uid of the pod and the volume's name in it. */
  readonly #mounted = new Map<string, Map<string, MountedClaim>>();

  constructor(parts: PodVolumesParts) {
    this.#parts = parts;
  }

  /** All mounted claims. */
  mountedClaims(): MountedClaim[] {
    return [...this.#mounted.values()].flatMap((volumes) => [...volumes.values()]);
  }

  /** Mounts a volume, unless it is mounted; returns its path on the machine. */
  async mount(pod: Observed<Pod>, volume: Volume, { signal }: MountOptions): Promise<string> {
    const claim = claimNameOf(pod, volume);
    if (claim === undefined) return await this.#mountSource(pod, { volume, persistentVolume: undefined }, signal);
    const known = this.#mounted.get(pod.metadata.uid)?.get(volume.name);
    if (known !== undefined) return await this.#mountSource(pod, known.source, signal);
    const bound = await this.#check(pod, { volume, name: claim, signal });
    const { csi } = bound.spec ?? {};
    if (csi !== undefined) await this.#awaitAttachment(pod, volume, csi);
    const source = { volume, persistentVolume: bound };
    const path = await this.#mountSource(pod, source, signal);
    this.#remember(pod, claim, source);
    return path;
  }

  /** Updates the content of volumes that are built from the API, where the plugin has `refreshEveryMs`. */
  async refresh(pod: Observed<Pod>, options: MountOptions): Promise<void> {
    for (const volume of pod.spec?.volumes ?? []) if (this.#isRefreshed(volume)) await this.mount(pod, volume, options);
  }

  /** Interval at which `refresh` is due for a pod; undefined for pods without such volumes. */
  refreshEveryMs(pod: Observed<Pod>): number | undefined {
    const periods = (pod.spec?.volumes ?? []).map((volume) => this.#isRefreshed(volume));
    return periods.find((period) => period !== undefined);
  }

  async unmountAll(pod: Observed<Pod>): Promise<void> {
    const { uid } = pod.metadata;
    const known = this.#mounted.get(uid);
    this.#mounted.delete(uid);
    for (const volume of pod.spec?.volumes ?? []) {
      const source = known?.get(volume.name)?.source ?? { volume, persistentVolume: undefined };
      await this.#pluginFor(source)?.unmount({ podUid: uid, volume: volume.name });
    }
    this.#parts.inUse.release(uid);
  }

  /** Unmounts the volumes of pods that are gone. */
  async unmountStrangers(isKnown: (podUid: string) => boolean): Promise<void> {
    for (const plugin of this.#parts.plugins) {
      const strangers = (await plugin.mounted()).filter(({ podUid }: MountedVolume) => !isKnown(podUid));
      for (const mounted of strangers) await plugin.unmount(mounted);
    }
  }

  /** Makes a mounted volume as large as its PersistentVolume. */
  async grow({ source, pod }: MountedClaim, persistentVolume: Observed<PersistentVolume>): Promise<void> {
    await this.#pluginFor(source)?.grow({ ...source, persistentVolume }, pod.metadata.uid);
  }

  #isRefreshed(volume: Volume): number | undefined {
    const plugin = this.#pluginFor({ volume, persistentVolume: undefined });
    return plugin?.refreshEveryMs === undefined || !hasPayload(volume) ? undefined : plugin.refreshEveryMs;
  }

  #pluginFor(source: VolumeSource): VolumePlugin | undefined {
    return this.#parts.plugins.find((plugin) => plugin.supports(source));
  }

  async #mountSource(pod: Observed<Pod>, source: VolumeSource, signal: AbortSignal): Promise<string> {
    const plugin = this.#pluginFor(source);
    if (plugin === undefined) throw new Error('no volume plugin matched');
    return await plugin.mount({ pod, ...source, payload: this.#parts.contents.payload(pod, source.volume), signal });
  }

  /** Takes over the mounted claims of a pod that an earlier run of the agent started. */
  async adopt(pod: Observed<Pod>): Promise<void> {
    const { namespace = '', uid } = pod.metadata;
    if (this.#mounted.has(uid)) return;
    for (const { volume: name, claim: claimName } of claimVolumesOf(pod)) {
      const volume = pod.spec?.volumes?.find((each) => each.name === name);
      if (volume === undefined) continue;
      try {
        const claim = await this.#claims(namespace).get(claimName);
        const bound = await this.#parts.client.core.v1.persistentvolumes.get(claim.spec?.volumeName ?? '');
        const { csi } = bound.spec ?? {};
        if (csi !== undefined && (await this.#isToBeAttached(csi))) this.#parts.inUse.add(uniqueVolumeName(csi), uid);
        this.#remember(pod, claimName, { volume, persistentVolume: bound });
      } catch (error) {
        if (!hasReason(error, 'NotFound')) throw error;
      }
    }
  }

  #remember(pod: Observed<Pod>, claim: string, source: VolumeSource): void {
    const { uid, namespace } = pod.metadata;
    const volumes = this.#mounted.get(uid) ?? new Map<string, MountedClaim>();
    const volumeName = source.persistentVolume?.metadata.name ?? '';
    this.#mounted.set(uid, volumes.set(source.volume.name, { key: `${namespace}/${claim}`, volumeName, pod, source }));
    this.#parts.mounted();
  }

  /** Reports that the volume is in use, so that it is not detached, then checks that it is attached. */
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
