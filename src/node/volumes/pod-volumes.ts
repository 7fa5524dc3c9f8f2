import { posix } from 'node:path';
import { type Clock, millisecondsOf } from '../../base/index.ts';
import {
  claimNameOf,
  claimVolumesOf,
  type DriverHandle,
  inlineVolumeOf,
  isAttachRequired,
  isTerminalPhase,
  translatedVolume,
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
  type Secret,
} from '../../client/index.ts';
import {
  folderName,
  type MountedVolume,
  type SubPathRequest,
  type Volume,
  type VolumePlugin,
  type VolumeSource,
  type VolumeStats,
} from '../backend/index.ts';
import type { AgentMetrics } from '../agent-metrics.ts';
import { boundVolume } from './bound-volume.ts';
import { setUpProblem, VolumeMountError, VolumeNotReady } from './volume-errors.ts';
import { downwardFacts, isDownward, modeProblem, pluginNameOf, unsupportedVolume } from './volume-kinds.ts';
import type { PodContents } from './pod-contents.ts';
import { hasPayload } from './volume-files.ts';
import type { ContainerSpec } from '../life/index.ts';
import { usedVolumes, volumesUsedBy } from './used-volumes.ts';
import type { VolumesInUse } from './volumes-in-use.ts';

/** Interval within which volumes that were mounted are not mounted again: the start of a pod among many others takes this long. */
const FRESH_MS = 10_000;

export interface PodVolumesParts {
  readonly clock: Clock;
  readonly plugins: readonly VolumePlugin[];
  readonly contents: PodContents;
  readonly client: Client;
  readonly inUse: VolumesInUse;
  readonly metrics: AgentMetrics;
  /** The node as the cluster knows it. */
  node(): Observed<Node> | undefined;
  /**
   * Called when a claim has been mounted, before containers see it: a volume that waits to grow on its node grows now, so that a pod finds
   * the size that its claim asks for however short it lives.
   */
  mounted(mounted: MountedClaim, claim: Observed<PersistentVolumeClaim>): Promise<void>;
  /** Called when an earlier run of the agent has mounted a claim. */
  takenOver(): void;
}

/** A claim that is mounted, by its key. */
export interface MountedClaim {
  readonly key: string;
  readonly volumeName: string;
  readonly pod: Observed<Pod>;
  readonly source: VolumeSource;
  /** False until the volume has grown to the size that its claim waited for when it was mounted. */
  isGrown: boolean;
}

interface MountOptions {
  readonly signal: AbortSignal;
}

/** A volume that this run of the agent has mounted or taken over. */
interface KnownVolume {
  readonly source: VolumeSource;
  readonly path: string;
  readonly mountedMs: number;
}

/** The statistics of a volume of a pod. */
export interface PodVolumeStats extends VolumeStats {
  /** In the pod. */
  readonly name: string;
  /** The claim behind it; undefined for other volumes. */
  readonly claim: { readonly namespace: string; readonly name: string } | undefined;
}

/**
 * The volumes of a node's pods: each is mounted by the first plugin that supports it, those of claims when the claim is bound and
 * the volume attached. Mounted volumes stay mounted even if the claim changes.
 */
export class PodVolumes {
  readonly #parts: PodVolumesParts;
  /** By the uid of the pod and the volume's name in it. */
  readonly #mounted = new Map<string, Map<string, MountedClaim>>();
  /** Likewise, all volumes. */
  readonly #known = new Map<string, Map<string, KnownVolume>>();
  /** What the downward volumes of pods show, by the uid of the pod. */
  readonly #shown = new Map<string, string>();

  constructor(parts: PodVolumesParts) {
    this.#parts = parts;
  }

  /** All mounted claims. */
  mountedClaims(): MountedClaim[] {
    return [...this.#mounted.values()].flatMap((volumes) => [...volumes.values()]);
  }

  /** Mounts a volume, or updates the content of one that is mounted; returns its path on the machine. */
  async mount(pod: Observed<Pod>, volume: Volume, options: MountOptions): Promise<string> {
    const name = claimNameOf(pod, volume);
    if (name === undefined) return await this.#mountOwn(pod, volume, options);
    const known = this.#mounted.get(pod.metadata.uid)?.get(volume.name);
    if (known?.isGrown === true) return await this.#mountSource(pod, known.source, options);
    const bound = await boundVolume(this.#parts.client, pod, { volume, name, ...options });
    const { claim } = bound;
    const persistentVolume = translatedVolume(bound.persistentVolume);
    const problem = modeProblem(pod, volume, persistentVolume);
    if (problem !== undefined) throw new VolumeNotReady(volume.name, 'processing', problem);
    const { csi } = persistentVolume.spec ?? {};
    if (csi !== undefined) await this.#awaitAttachment(pod, volume, csi);
    const source = { volume, persistentVolume };
    const path = await this.#mountSource(pod, source, options);
    const mounted = known ?? this.#remember(pod, name, { source, isGrown: false });
    await this.#parts.mounted(mounted, claim);
    mounted.isGrown = true;
    return path;
  }

  /** Mounts a volume that the pod describes itself. */
  async #mountOwn(pod: Observed<Pod>, volume: Volume, options: MountOptions): Promise<string> {
    const source = ownSource(pod, volume);
    const { csi } = source.persistentVolume?.spec ?? {};
    const isMounted = this.#known.get(pod.metadata.uid)?.has(volume.name) === true;
    if (csi !== undefined && !isMounted) await this.#awaitAttachment(pod, volume, csi);
    return await this.#mountSource(pod, source, options);
  }

  /** The paths of the volumes that a container uses, by name. Volumes that were not mounted just before are mounted or updated. */
  async paths(
    pod: Observed<Pod>,
    container: ContainerSpec,
    options: MountOptions,
  ): Promise<ReadonlyMap<string, string>> {
    const paths = new Map<string, string>();
    const nowMs = this.#parts.clock.now();
    for (const volume of volumesUsedBy(container, pod)) {
      const known = this.#known.get(pod.metadata.uid)?.get(volume.name);
      const isFresh = known !== undefined && nowMs - known.mountedMs <= FRESH_MS;
      paths.set(volume.name, isFresh ? known.path : await this.mount(pod, volume, options));
    }
    return paths;
  }

  /** The path on the machine of a part of a mounted volume. */
  async subPath(pod: Observed<Pod>, request: Omit<SubPathRequest, 'podUid' | 'volume' | 'path'>): Promise<string> {
    const { uid } = pod.metadata;
    const known = this.#known.get(uid)?.get(request.mountName);
    if (known === undefined) throw new Error(`volume ${JSON.stringify(request.mountName)} is not mounted`);
    const { path, source } = known;
    const prepare = this.#pluginFor(source)?.subPath;
    if (prepare === undefined) return posix.join(path, request.subPath);
    return await prepare.call(this.#pluginFor(source), { ...request, podUid: uid, volume: folderName(source), path });
  }

  /** Whether labels, annotations or resources of the pod have changed since its downward volumes were written. */
  isOutdated(pod: Observed<Pod>): boolean {
    const shown = this.#shown.get(pod.metadata.uid);
    return shown !== undefined && shown !== downwardFacts(pod);
  }

  /** Updates the content of volumes that are built from the API, where the plugin has `refreshEvery`. Returns what went wrong, as messages. */
  async refresh(pod: Observed<Pod>, { signal }: MountOptions): Promise<readonly string[]> {
    const problems: string[] = [];
    for (const volume of usedVolumes(pod)) {
      if (this.#refreshMs(pod, volume) === undefined) continue;
      try {
        await this.mount(pod, volume, { signal });
      } catch (error) {
        problems.push(setUpProblem(volume.name, error));
      }
    }
    return problems;
  }

  /** Measures the volumes of a pod, one after the other. */
  async stats(pod: Observed<Pod>, signal: AbortSignal): Promise<readonly PodVolumeStats[]> {
    const { uid, namespace = '' } = pod.metadata;
    const found: PodVolumeStats[] = [];
    for (const [name, { source, path }] of this.#known.get(uid) ?? []) {
      const measured = await this.#pluginFor(source)?.stats?.(
        { podUid: uid, volume: folderName(source), path },
        signal,
      );
      const claim = claimNameOf(pod, source.volume);
      if (measured === undefined) continue;
      found.push({ ...measured, name, claim: claim === undefined ? undefined : { namespace, name: claim } });
    }
    return found;
  }

  /** Interval at which `refresh` is due for a pod; undefined for pods without such volumes. */
  refreshEveryMs(pod: Observed<Pod>): number | undefined {
    const periods = usedVolumes(pod).map((volume) => this.#refreshMs(pod, volume));
    return periods.find((period) => period !== undefined);
  }

  /** Tries all volumes, also after one that cannot be unmounted; throws the first failure. Those that are left are tried again when called again. */
  async unmountAll(pod: Observed<Pod>): Promise<void> {
    const { uid } = pod.metadata;
    const failures: unknown[] = [];
    this.#shown.delete(uid);
    for (const volume of pod.spec?.volumes ?? []) {
      const source = this.#mounted.get(uid)?.get(volume.name)?.source ?? ownSource(pod, volume);
      try {
        const mounted = { podUid: uid, volume: folderName(source) };
        await this.#timed('volume_unmount', source, async () => this.#pluginFor(source)?.unmount(mounted));
        this.#known.get(uid)?.delete(volume.name);
      } catch (error) {
        failures.push(error);
      }
    }
    failures.push(...(await this.#unmountUnknown(pod)));
    if (failures.length > 0) throw failures[0];
    this.#mounted.delete(uid);
    this.#known.delete(uid);
    this.#parts.contents.forgetPod(uid);
    this.#parts.inUse.release(uid);
  }

  /** Unmounts the volumes of pods that are gone, and releases what no pod has mounted. */
  async unmountStrangers(isKnown: (podUid: string) => boolean): Promise<void> {
    const failures: unknown[] = [];
    for (const plugin of this.#parts.plugins) {
      failures.push(...(await unmountFrom(plugin, ({ podUid }) => !isKnown(podUid))));
      await plugin.releaseUnused?.().catch((error: unknown) => failures.push(error));
    }
    await this.#forgetStrangers(isKnown);
    if (failures.length > 0) throw failures[0];
  }

  /** Whether this run of the agent has mounted, or taken over, volumes of a pod and not unmounted them. */
  hasAny({ metadata: { uid } }: Observed<Pod>): boolean {
    return this.#known.has(uid) || this.#mounted.has(uid);
  }

  /** Lets go of what pods used that are gone, and whose volumes could not be unmounted when they went but are now. */
  async #forgetStrangers(isKnown: (podUid: string) => boolean): Promise<void> {
    const { plugins, inUse, contents } = this.#parts;
    const left = [...inUse.pods()].filter((uid) => !isKnown(uid));
    if (left.length === 0) return;
    const mounted = new Set(
      (await Promise.all(plugins.map((plugin) => plugin.mounted()))).flat().map(({ podUid }) => podUid),
    );
    for (const uid of left.filter((each) => !mounted.has(each))) {
      this.#mounted.delete(uid);
      this.#known.delete(uid);
      contents.forgetPod(uid);
      inUse.release(uid);
    }
  }

  /** Whether drivers may hold volumes of a pod, which it must not be deleted with. */
  areHeld(pod: Observed<Pod>): boolean {
    const isOfDriver = (volume: Volume): boolean =>
      volume.csi !== undefined || ownSource(pod, volume).persistentVolume !== undefined;
    const mayBe = claimVolumesOf(pod).length > 0 || pod.spec?.volumes?.some(isOfDriver) === true;
    return mayBe && this.#parts.plugins.some((plugin) => plugin.held !== undefined);
  }

  /** The names of attachable volumes that the machine holds, whether or not a pod uses them. */
  held(): readonly string[] {
    return this.#parts.plugins.flatMap((plugin) => plugin.held?.() ?? []);
  }

  /** Unmounts volumes of claims that were never mounted whole, or that an earlier run of the agent mounted. Returns what went wrong. */
  async #unmountUnknown(pod: Observed<Pod>): Promise<readonly unknown[]> {
    const { uid } = pod.metadata;
    const failures: unknown[] = [];
    if (claimVolumesOf(pod).every(({ volume }) => this.#mounted.get(uid)?.has(volume))) return failures;
    for (const plugin of this.#parts.plugins) {
      if (plugin.held === undefined) continue; // only drivers hold volumes of claims that are not mounted
      failures.push(...(await unmountFrom(plugin, ({ podUid }) => podUid === uid)));
      await plugin.releaseUnused?.().catch((error: unknown) => failures.push(error));
    }
    return failures;
  }

  /** Makes a mounted volume as large as its PersistentVolume. */
  async grow(
    { source, pod }: MountedClaim,
    persistentVolume: Observed<PersistentVolume>,
    oldSize: string | undefined,
  ): Promise<void> {
    await this.#pluginFor(source)?.grow({ ...source, persistentVolume }, pod.metadata.uid, oldSize);
  }

  #refreshMs(pod: Observed<Pod>, volume: Volume): number | undefined {
    const { uid } = pod.metadata;
    const source = this.#known.get(uid)?.get(volume.name)?.source ?? ownSource(pod, volume);
    const plugin = this.#pluginFor(source);
    const isRefreshed = hasPayload(volume) || plugin?.isRefreshed?.(source, uid) === true;
    const period = isRefreshed ? plugin?.refreshEvery : undefined;
    return period === undefined ? undefined : millisecondsOf(period);
  }

  #pluginFor(source: VolumeSource): VolumePlugin | undefined {
    return this.#parts.plugins.find((plugin) => plugin.supports(source));
  }

  async #mountSource(pod: Observed<Pod>, source: VolumeSource, { signal }: MountOptions): Promise<string> {
    const { uid } = pod.metadata;
    const { volume } = source;
    const plugin = this.#pluginFor(source);
    if (plugin === undefined) throw new VolumeNotReady(volume.name, 'processing', unsupportedVolume(source));
    const devicePath = await this.#attachedDevice(pod, source);
    const payload = this.#parts.contents.payload(pod, volume);
    const readSecret = (namespace: string, name: string): Promise<Observed<Secret>> =>
      this.#parts.client.core.v1.secrets.namespace(namespace).get(name, { signal });
    const request = { pod, ...source, payload, devicePath, readSecret, signal };
    const path = await this.#timed('volume_mount', source, () => plugin.mount(request)).catch((error: unknown) => {
      if (error instanceof VolumeNotReady) throw error;
      throw new VolumeMountError(folderName(source), error);
    });
    const volumes = this.#known.get(uid) ?? new Map<string, KnownVolume>();
    this.#known.set(uid, volumes.set(volume.name, { source, path, mountedMs: this.#parts.clock.now() }));
    if (isDownward(volume) && plugin.refreshEvery !== undefined) this.#shown.set(uid, downwardFacts(pod));
    return path;
  }

  async #timed<T>(operation_name: string, source: VolumeSource, work: () => Promise<T>): Promise<T> {
    const { clock, metrics } = this.#parts;
    const beganMs = clock.monotonic();
    let status = 'fail-unknown';
    try {
      const done = await work();
      status = 'success';
      return done;
    } finally {
      const labels = { migrated: 'false', operation_name, status, volume_plugin: pluginNameOf(source) };
      metrics.observe('storage_operation_duration_seconds', (clock.monotonic() - beganMs) / 1000, labels);
    }
  }

  /** Takes over the mounted volumes of a pod that an earlier run of the agent started. */
  async adopt(pod: Observed<Pod>, options: MountOptions): Promise<void> {
    await this.#adoptClaims(pod);
    for (const volume of usedVolumes(pod))
      if (claimNameOf(pod, volume) === undefined) await this.#adoptOwn(pod, volume);
    if (isTerminalPhase(pod.status?.phase) || pod.metadata.deletionTimestamp !== undefined) return;
    for (const volume of usedVolumes(pod)) {
      const isThere =
        claimNameOf(pod, volume) === undefined || this.#mounted.get(pod.metadata.uid)?.has(volume.name) === true;
      if (isThere) await this.mount(pod, volume, options).catch(() => undefined); // containers run on with what they have
    }
  }

  async #adoptOwn(pod: Observed<Pod>, volume: Volume): Promise<void> {
    const source = ownSource(pod, volume);
    const { csi } = source.persistentVolume?.spec ?? {};
    if (csi !== undefined && (await this.#isToBeAttached(csi)))
      this.#parts.inUse.add(uniqueVolumeName(csi), pod.metadata.uid);
    await this.#use(pod, source);
  }

  async #adoptClaims(pod: Observed<Pod>): Promise<void> {
    const { namespace = '', uid } = pod.metadata;
    if (this.#mounted.has(uid)) return;
    for (const { volume: name, claim: claimName } of claimVolumesOf(pod)) {
      const volume = pod.spec?.volumes?.find((each) => each.name === name);
      if (volume === undefined) continue;
      try {
        const claim = await this.#claims(namespace).get(claimName);
        const { persistentvolumes } = this.#parts.client.core.v1;
        const bound = translatedVolume(await persistentvolumes.get(claim.spec?.volumeName ?? ''));
        const { csi } = bound.spec ?? {};
        if (csi !== undefined && (await this.#isToBeAttached(csi))) this.#parts.inUse.add(uniqueVolumeName(csi), uid);
        const source = { volume, persistentVolume: bound };
        await this.#use(pod, source);
        this.#remember(pod, claimName, { source, isGrown: true });
        this.#parts.takenOver();
      } catch (error) {
        if (!hasReason(error, 'NotFound')) throw error;
      }
    }
  }

  #remember(
    pod: Observed<Pod>,
    claim: string,
    { source, isGrown }: Pick<MountedClaim, 'source' | 'isGrown'>,
  ): MountedClaim {
    const { uid, namespace } = pod.metadata;
    const volumes = this.#mounted.get(uid) ?? new Map<string, MountedClaim>();
    const volumeName = source.persistentVolume?.metadata.name ?? '';
    const mounted = { key: `${namespace}/${claim}`, volumeName, pod, source, isGrown };
    this.#mounted.set(uid, volumes.set(source.volume.name, mounted));
    return mounted;
  }

  /** Reports that the volume is in use, so that it is not detached, then checks that it is attached. */
  async #awaitAttachment(pod: Observed<Pod>, volume: Volume, handle: DriverHandle): Promise<void> {
    const unique = uniqueVolumeName(handle);
    if (!(await this.#isToBeAttached(handle))) {
      this.#parts.inUse.remove(unique, pod.metadata.uid); // the driver may have attached volumes when the pod began to wait
      return;
    }
    this.#parts.inUse.add(unique, pod.metadata.uid);
    this.#deviceOf(volume, unique);
  }

  /** The device of a volume whose plugin has it attached; empty for others. Throws when it is not attached yet. */
  async #attachedDevice(pod: Observed<Pod>, source: VolumeSource): Promise<string> {
    const isKnown = this.#known.get(pod.metadata.uid)?.has(source.volume.name) === true;
    const unique = isKnown ? undefined : await this.#use(pod, source);
    return unique === undefined ? '' : this.#deviceOf(source.volume, unique);
  }

  /** Reports that a volume is in use, if its plugin has it attached, so that it is not detached. Returns its name in the node's status. */
  async #use(pod: Observed<Pod>, source: VolumeSource): Promise<string | undefined> {
    const unique = await this.#pluginFor(source)?.attachedName?.(source);
    if (unique !== undefined) this.#parts.inUse.add(unique, pod.metadata.uid);
    return unique;
  }

  #deviceOf({ name: volume }: Volume, unique: string): string {
    const { volumesAttached = [], volumesInUse = [] } = this.#parts.node()?.status ?? {};
    const attached = volumesInUse.includes(unique) ? volumesAttached.find(({ name }) => name === unique) : undefined;
    if (attached === undefined) throw new VolumeNotReady(volume, 'attachment', 'context deadline exceeded');
    return attached.devicePath;
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
}

/** A volume that the pod describes itself; one of a former in-tree plugin as the persistent volume that its CSI driver gets. */
function ownSource({ metadata }: Observed<Pod>, volume: Volume): VolumeSource {
  const inline = inlineVolumeOf(volume, metadata.namespace ?? '');
  if (inline === undefined) return { volume, persistentVolume: undefined };
  return { volume, persistentVolume: inline as VolumeSource['persistentVolume'] };
}

/** Unmounts those that match, and returns what went wrong. */
async function unmountFrom(
  plugin: VolumePlugin,
  matches: (mounted: MountedVolume) => boolean,
): Promise<readonly unknown[]> {
  const failures: unknown[] = [];
  for (const mounted of (await plugin.mounted()).filter(matches))
    await plugin.unmount(mounted).catch((error: unknown) => failures.push(error));
  return failures;
}
