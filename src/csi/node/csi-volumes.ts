import { lstat, mkdir, rm, rmdir, unlink } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { isAttachRequired } from '../../api/meaning/index.ts';
import type { CSIDriver } from '../../api/types/storage/v1.d.ts';
import { type DeepReadonly, KeyedTurns, messageOf } from '../../base/index.ts';
import {
  folderName,
  type MountedVolume,
  type MountRequest,
  type SubPathRequest,
  type VolumePlugin,
  type VolumeSource,
  type VolumeStats,
} from '../../node/index.ts';
import { errorCode } from '../../system/index.ts';
import { DeviceVolumes, type DeviceVolumesParts } from './device-volumes.ts';
import { growVolume } from './grow-volume.ts';
import { type CsiNodeClient, DriverCallError, type NodeCapabilities } from './node-client.ts';
import { loadVolumeData, saveVolumeData } from './volume-data.ts';
import { keyOf, type StagedVolume, type VolumeUseRecord } from './volume-ledger.ts';
import { CSI, VOLUME_DATA } from './volume-paths.ts';
import { clientOf, failure, step } from './volume-steps.ts';
import { groupOf, lifecycleProblem, publishUse, useOf, type WantedVolume, wantedVolume } from './wanted-volume.ts';

type Driver = DeepReadonly<CSIDriver>;

/** Drivers that ask for it are called again at this interval, which is about that of a kubelet. */
const REPUBLISH_MS = 60_000;

export interface CsiVolumesParts extends DeviceVolumesParts {
  /** Drivers whose volumes another plugin mounts. */
  readonly otherDrivers: readonly string[];
  /** Drivers whose volumes are not attached, as far as is known. */
  readonly unattached: Set<string>;
  /** What the machine holds has changed. */
  changed(): void;
  /** A volume that no pod has any more could not be unstaged. */
  notUnstaged(error: unknown): void;
}

/**
 * Volumes of CSI drivers: staged once on the machine where the driver does that, published for each pod.
 *
 * Guarantees: a volume is unpublished for its last pod before it is unstaged, and held until then; calls for one volume never overlap.
 * A note is on disk before a driver is called, so that the next run of the agent finishes what this one has begun.
 */
export class CsiVolumes implements VolumePlugin {
  readonly name = CSI;
  readonly refreshEvery = REPUBLISH_MS;
  readonly #parts: CsiVolumesParts;
  readonly #devices: DeviceVolumes;
  readonly #turns = new KeyedTurns();

  constructor(parts: CsiVolumesParts) {
    this.#parts = parts;
    this.#devices = new DeviceVolumes(parts);
  }

  supports({ volume, persistentVolume }: VolumeSource): boolean {
    const driver = volume.csi?.driver ?? persistentVolume?.spec?.csi?.driver;
    return driver !== undefined && !this.#parts.otherDrivers.includes(driver);
  }

  async mount(request: MountRequest): Promise<string> {
    const wanted = wantedVolume(request);
    const { ledger } = this.#parts;
    const { driverName: driver, handle, spec, isBlock, isEphemeral } = wanted;
    return await this.#turns.take(keyOf({ driver, handle }), async () => {
      request.signal.throwIfAborted();
      const known = ledger.used(request.pod.metadata.uid, spec);
      if (known?.path !== undefined && !known.isRepublished) return known.path;
      const podUid = request.pod.metadata.uid;
      if (known === undefined) await this.#requireSingleUse(wanted);
      const use =
        known ??
        ledger.use({
          ...{ driver, handle, podUid, spec, isBlock, isEphemeral },
          ...{ path: undefined, isRepublished: false, isLeft: false },
        });
      use.isLeft = false;
      const driverObject = await this.#driver(driver, request.signal);
      use.path = isBlock ? await this.#devices.map(wanted, driverObject) : await this.#mount(wanted, use, driverObject);
      return use.path;
    });
  }

  async unmount({ podUid, volume }: Omit<MountedVolume, 'path'>): Promise<void> {
    const { ledger, machine, objects, changed, notUnstaged } = this.#parts;
    const found = ledger.used(podUid, volume);
    if (found === undefined) return;
    await this.#turns.take(keyOf(found), async () => {
      const use = ledger.used(podUid, volume);
      if (use === undefined) return;
      use.path = undefined;
      await machine.removeSubPaths(podUid, volume);
      await (use.isBlock ? this.#devices.unmap(use) : this.#unpublish(use));
      use.isLeft = true;
      // the pod does not wait for a driver that refuses this: it is tried again without it
      if (!use.isEphemeral) await this.#unstageUnused(use).catch(notUnstaged);
      ledger.released(use);
      objects.forgetPod(podUid);
      await machine.removeEmptyFolders(podUid);
      changed();
    });
  }

  async mounted(): Promise<readonly MountedVolume[]> {
    return this.#parts.ledger.uses().map(({ podUid, spec, path }) => ({ podUid, volume: spec, path: path ?? '' }));
  }

  isRefreshed(source: VolumeSource, podUid: string): boolean {
    return this.#parts.ledger.used(podUid, folderName(source))?.isRepublished === true;
  }

  /** Unstages volumes whose pods have gone while the agent was away, and those whose driver was. */
  async releaseUnused(): Promise<void> {
    const failures: unknown[] = [];
    for (const volume of this.#parts.ledger.unused())
      await this.#turns
        .take(keyOf(volume), () => this.#unstageUnused(volume))
        .catch((error: unknown) => failures.push(error));
    if (failures.length > 0) throw failures[0];
  }

  held(): readonly string[] {
    const { ledger, unattached } = this.#parts;
    return [...ledger.held()].filter(([, driver]) => !unattached.has(driver)).map(([name]) => name);
  }

  async grow({ persistentVolume }: VolumeSource, podUid: string): Promise<void> {
    const { ledger, paths } = this.#parts;
    const { csi } = persistentVolume?.spec ?? {};
    if (persistentVolume === undefined || csi === undefined) return;
    const spec = persistentVolume.metadata.name;
    const key = { driver: csi.driver, handle: csi.volumeHandle };
    await this.#turns.take(keyOf(key), async () => {
      const use = ledger.used(podUid, spec);
      if (use?.path === undefined) throw new Error(`volume ${JSON.stringify(spec)} is not mounted`);
      const staged = ledger.staged(key);
      const path = use.isBlock ? paths.publishedDevice(podUid, spec) : use.path;
      await growVolume(persistentVolume, { path, stagingPath: staged?.stagingPath ?? '' }, this.#parts);
    });
  }

  subPath(request: SubPathRequest): Promise<string> {
    return this.#parts.machine.subPath(request);
  }

  async stats({ podUid, volume }: MountedVolume, signal: AbortSignal): Promise<VolumeStats | undefined> {
    const { ledger, drivers, paths } = this.#parts;
    const use = ledger.used(podUid, volume);
    if (use?.path === undefined || !drivers.has(use.driver)) return undefined;
    const client = drivers.client(use.driver);
    if (!(await client.capabilities(signal)).hasStats) return undefined;
    return await client.stats(use.handle, use.isBlock ? paths.publishedDevice(podUid, volume) : use.path, signal);
  }

  /** What the cluster says about a driver; notes whether its volumes are attached. */
  async #driver(name: string, signal: AbortSignal): Promise<Driver | undefined> {
    const { objects, unattached } = this.#parts;
    const driver = await objects.driver(name, signal);
    if (isAttachRequired(driver)) unattached.delete(name);
    else unattached.add(name);
    return driver;
  }

  /**
   * Refuses a volume of mode ReadWriteOncePod that another pod has. The scheduler does too; this is for pods that name their node. With
   * several modes it is not known which one the pod uses.
   */
  async #requireSingleUse({ driverName: driver, handle, isBlock, request }: WantedVolume): Promise<void> {
    const { accessModes = [] } = request.persistentVolume?.spec ?? {};
    if (accessModes.length !== 1 || accessModes[0] !== 'ReadWriteOncePod') return;
    if (!this.#parts.ledger.isUsed({ driver, handle })) return;
    await step(isBlock ? 'MapVolume.SetUpDevice' : 'MountVolume.SetUp', () => {
      throw new Error('volume uses the ReadWriteOncePod access mode and is already in use by another pod');
    });
  }

  async #mount(wanted: WantedVolume, use: VolumeUseRecord, driver: Driver | undefined): Promise<string> {
    const { objects, drivers } = this.#parts;
    const { driverName, isEphemeral, request } = wanted;
    const { signal } = request;
    let stagingPath = '';
    if (!isEphemeral) {
      await step('MountVolume.WaitForAttach', () =>
        objects.checkAttachment({ driver: driverName, volumeHandle: wanted.handle }, driver, signal),
      );
      stagingPath = await step('MountVolume.MountDevice', () => this.#stage(wanted, driver));
    }
    return await step('MountVolume.SetUp', async () => {
      const client = clientOf(drivers, driverName, 'mounter.SetUpAt failed to get CSI client');
      return await this.#publish(wanted, { use, client, driver, stagingPath });
    });
  }

  /** Returns where the volume is staged; empty for drivers that do not stage. */
  async #stage(wanted: WantedVolume, driver: Driver | undefined): Promise<string> {
    const { drivers, objects, ledger, paths } = this.#parts;
    const { driverName, handle, request } = wanted;
    const { persistentVolume, signal, pod } = request;
    const client = clientOf(drivers, driverName, 'attacher.MountDevice failed to create newCsiDriverClient');
    const capabilities = await client.capabilities(signal);
    if (!capabilities.stages) return '';
    const known = ledger.staged({ driver: driverName, handle });
    if (known?.isDone === true) return known.stagingPath;
    const publishContext = await objects.publishContext({ driver: driverName, volumeHandle: handle }, driver, signal);
    const { nodeStageSecretRef } = persistentVolume?.spec?.csi ?? {};
    const secrets = await objects.secret(nodeStageSecretRef, 'NodeStageSecretRef', signal);
    const folder = paths.staged(driverName, handle);
    const stagingPath = join(folder, 'globalmount');
    await mkdir(stagingPath, { recursive: true, mode: 0o750 });
    await saveVolumeData(folder, { driverName, volumeHandle: handle });
    const staged = ledger.stage({
      ...{ driver: driverName, handle, folder, stagingPath },
      ...{ device: undefined, isDone: false },
    });
    const use = useOf(wanted, { publishContext, secrets, volumeContext: wanted.attributes, group: groupOf(pod) });
    try {
      await client.stage(use, { stagingPath, capabilities, signal });
    } catch (error) {
      const isFirst = known === undefined;
      if (isFirst && error instanceof DriverCallError && error.isFinal)
        await this.#removeFolder(stagingPath).then(() => ledger.unstaged(staged), LATER);
      throw error;
    }
    staged.isDone = true;
    return stagingPath;
  }

  async #publish(
    wanted: WantedVolume,
    parts: {
      readonly use: VolumeUseRecord;
      readonly client: CsiNodeClient;
      readonly driver: Driver | undefined;
      readonly stagingPath: string;
    },
  ): Promise<string> {
    const { paths, node, machine, objects } = this.#parts;
    const { driverName, handle, spec, isEphemeral, isReadOnly, request } = wanted;
    const { pod, signal } = request;
    const { use: record, client, driver, stagingPath } = parts;
    const problem = lifecycleProblem(driver, wanted);
    if (problem !== undefined) throw failure(`mounter.SetupAt failed to check volume lifecycle mode: ${problem}`);
    const capabilities = await client.capabilities(signal);
    const use = await publishUse(wanted, driver, objects);
    const folder = paths.published(pod.metadata.uid, spec);
    const targetPath = join(folder, 'mount');
    const isFirst = (await loadVolumeData(folder)) === undefined;
    await saveVolumeData(folder, {
      specVolID: spec,
      volumeHandle: handle,
      driverName,
      nodeName: node,
      volumeLifecycleMode: isEphemeral ? 'Ephemeral' : 'Persistent',
      attachmentID: objects.attachmentName({ driver: driverName, volumeHandle: handle }),
    });
    try {
      await client.publish(use, { targetPath, stagingPath, isReadOnly, capabilities, signal });
    } catch (error) {
      // a volume that is published already stays: its containers see it
      if (isFirst && error instanceof DriverCallError && error.isFinal)
        await this.#removeFolder(targetPath).catch(LATER);
      throw error;
    }
    record.isRepublished = driver?.spec?.requiresRepublish === true;
    if (record.path === undefined && this.#isGivenToGroup(wanted, driver, capabilities))
      await machine.giveToGroup(targetPath, pod).catch((error: unknown) => {
        throw new Error(`applyFSGroup failed for vol ${handle}: ${messageOf(error)}`, { cause: error });
      });
    return targetPath;
  }

  #isGivenToGroup(wanted: WantedVolume, driver: Driver | undefined, { setsVolumeGroup }: NodeCapabilities): boolean {
    const { fsType, isReadOnly, isEphemeral, request } = wanted;
    if (setsVolumeGroup || isReadOnly || groupOf(request.pod) === undefined) return false;
    const policy = driver?.spec?.fsGroupPolicy ?? 'ReadWriteOnceWithFSType';
    if (policy !== 'ReadWriteOnceWithFSType') return policy === 'File';
    if (fsType === '') return false;
    const { accessModes = [] } = request.persistentVolume?.spec ?? {};
    return isEphemeral || accessModes.some((mode) => mode === 'ReadWriteOnce' || mode === 'ReadWriteOncePod');
  }

  async #unpublish({ driver, handle, podUid, spec }: VolumeUseRecord): Promise<void> {
    const { paths, drivers } = this.#parts;
    const folder = paths.published(podUid, spec);
    if ((await loadVolumeData(folder)) === undefined) return; // the driver was never called, or all is undone
    const targetPath = join(folder, 'mount');
    const client = clientOf(drivers, driver, 'Unmounter.TearDownAt failed to get CSI client');
    await client.unpublish(handle, targetPath).catch((error: unknown) => {
      throw failure(`Unmounter.TearDownAt failed: ${messageOf(error)}`, error);
    });
    await this.#removeFolder(targetPath).catch((error: unknown) => {
      throw failure(`Unmounter.TearDownAt failed to clean mount dir [${targetPath}]: ${messageOf(error)}`, error);
    });
  }

  /** Unstages the volume unless a pod has it. The caller has its turn. */
  async #unstageUnused(volume: { readonly driver: string; readonly handle: string }): Promise<void> {
    const { ledger, changed } = this.#parts;
    const staged = ledger.staged(volume);
    if (staged === undefined || ledger.isUsed(volume)) return;
    if (staged.device === undefined) await this.#unstage(staged);
    else await this.#devices.unstage(staged, staged.device);
    ledger.unstaged(staged);
    changed();
  }

  async #unstage(staged: StagedVolume): Promise<void> {
    const { driver, handle, stagingPath, folder } = staged;
    staged.isDone = false; // whatever comes of it
    const what = 'attacher.UnmountDevice failed to create newCsiDriverClient';
    const client = clientOf(this.#parts.drivers, driver, what);
    const { stages } = await client.capabilities();
    if (stages)
      await client.unstage(handle, stagingPath).catch((error: unknown) => {
        throw failure(`attacher.UnmountDevice failed: ${messageOf(error)}`, error);
      });
    await this.#removeFolder(stagingPath).catch((error: unknown) => {
      throw failure(`failed to clean up global mount ${folder}: ${messageOf(error)}`, error);
    });
  }

  /** Removes what a driver has left at a path, the note beside it, and the folder of both; never what is still mounted. */
  async #removeFolder(path: string): Promise<void> {
    if (await this.#parts.machine.isMountPoint(path)) throw new Error(`${path} is still mounted`);
    await ifThere(async () => {
      await ((await lstat(path)).isDirectory() ? rmdir(path) : unlink(path));
    });
    const folder = dirname(path);
    await rm(join(folder, VOLUME_DATA), { force: true });
    await rm(join(folder, `${VOLUME_DATA}.new`), { force: true });
    await ifThere(() => rmdir(folder));
  }
}

/** What cannot be removed after a failed call is removed with the pod. */
const LATER = (): undefined => undefined;

async function ifThere(work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (error) {
    if (errorCode(error) !== 'ENOENT') throw error;
  }
}
