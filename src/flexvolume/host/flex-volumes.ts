import { lstat, mkdir, readdir, rmdir } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { KeyedTurns, messageOf } from '../../base/index.ts';
import { storageIn } from '../../api/meaning/index.ts';
import type { Observed, Pod } from '../../client/index.ts';
import {
  folderName,
  type MountedVolume,
  type MountRequest,
  podFolder,
  type SubPathRequest,
  volumeFolder,
  VolumeNotReady,
  type VolumePlugin,
  type VolumeSource,
  type VolumeStats,
  VolumeStepError,
} from '../../node/index.ts';
import { DeviceMounter, type DeviceMounterParts, errorCode, type Mounts } from '../../system/index.ts';
import { type DriverFolder, folderOf } from './driver-folder.ts';
import type { FlexDriver } from './flex-driver.ts';
import { flexSourceOf, type FlexSource, optionsJson, uniqueName } from './flex-source.ts';

/** What the machine does for these volumes as for all others. */
export interface FlexHost extends DeviceMounterParts {
  /** The agent's folder. */
  readonly root: string;
  readonly mounts: Mounts;
  readonly drivers: DriverFolder;
  /** Gives a volume that the pod may write to to its fsGroup. */
  giveToGroup(folder: string, pod: Observed<Pod>): Promise<void>;
  bindSubPath(request: SubPathRequest): Promise<string>;
  removeSubPaths(podUid: string, volume: string): Promise<void>;
  fileSystemStats(path: string): Promise<VolumeStats>;
}

const NAME = 'kubernetes.io/flexvolume';
/** Folders with this prefix belong to other plugins, unless there is a driver of that name. */
const BUILT_IN = 'kubernetes.io~';
const WAIT_FOR_ATTACH_MS = 10 * 60_000;
const FOLDER_MODE = 0o750;

/**
 * Volumes of drivers that are programs. A driver with `attach` has a device, which is mounted once on the node and then into each pod;
 * others are mounted into each pod alone. What a driver does not support is done as a kubelet does it.
 *
 * Everything is found again on the disk after a restart: a device is in use as long as a pod has a folder of its volume.
 */
export class FlexVolumes implements VolumePlugin {
  readonly name = NAME;
  readonly refreshEvery = undefined;
  readonly #host: FlexHost;
  readonly #devices: DeviceMounter;
  readonly #turns = new KeyedTurns();
  /** The volumes that this run has mounted: their devices, by folder. */
  readonly #mounted = new Map<string, string>();

  constructor(host: FlexHost) {
    this.#host = host;
    this.#devices = new DeviceMounter(host);
  }

  supports(source: VolumeSource): boolean {
    return sourceOf(source) !== undefined;
  }

  async attachedName(source: VolumeSource): Promise<string | undefined> {
    const flex = sourceOf(source);
    const driver = flex === undefined ? undefined : await this.#host.drivers.find(flex.driver);
    return flex === undefined || driver?.capabilities.attach !== true ? undefined : uniqueName(flex);
  }

  async mount(request: MountRequest): Promise<string> {
    const { flex, driver } = await this.#opened(request);
    const folder = this.#folder(request.pod.metadata.uid, flex);
    if (this.#mounted.has(folder)) return folder;
    if ((request.persistentVolume?.spec?.mountOptions ?? []).length > 0)
      throw new Error('Mount options are not supported for this volume type');
    await this.#turns.take(uniqueName(flex), async () => {
      const device = driver.capabilities.attach ? await this.#mountDevice(flex, driver, request.devicePath ?? '') : '';
      await this.#mountInPod(folder, { flex, driver, request });
      this.#mounted.set(folder, device);
    });
    return folder;
  }

  async unmount({ podUid, volume }: Omit<MountedVolume, 'path'>): Promise<void> {
    await this.#host.removeSubPaths(podUid, volume);
    for (const name of await this.#driverFolders(podUid)) {
      const folder = volumeFolder(this.#host.root, podUid, { plugin: name, name: volume });
      const driver = name.replaceAll('~', '/');
      if (await isThere(folder))
        await this.#turns.take(`${driver}/${volume}`, () => this.#unmountInPod(folder, driver));
    }
    for (const driver of await this.#host.drivers.all())
      if (driver.capabilities.attach)
        await this.#turns.take(`${driver.name}/${volume}`, () => this.#unmountDevice(driver, volume));
  }

  async mounted(): Promise<readonly MountedVolume[]> {
    const found: MountedVolume[] = [];
    for (const podUid of await namesIn(join(this.#host.root, 'pods')))
      for (const plugin of await this.#driverFolders(podUid)) {
        const folder = volumeFolder(this.#host.root, podUid, { plugin, name: '' });
        for (const volume of await namesIn(folder)) found.push({ podUid, volume, path: join(folder, volume) });
      }
    return found;
  }

  async grow(source: VolumeSource, podUid: string, oldSize?: string): Promise<void> {
    const { flex, driver } = await this.#opened(source);
    const folder = this.#folder(podUid, flex);
    const device = this.#mounted.get(folder) ?? '';
    const sizes = [source.persistentVolume?.spec?.capacity, { storage: oldSize ?? '0' }].map((capacity) =>
      String(storageIn(capacity).value()),
    );
    const grown = await driver.tryCall('expandfs', [optionsJson(flex), device, folder, ...sizes]);
    if (grown === undefined) await this.#devices.grow(device, folder);
  }

  subPath(request: SubPathRequest): Promise<string> {
    return this.#host.bindSubPath(request);
  }

  async stats({ path }: MountedVolume): Promise<VolumeStats | undefined> {
    const driver = await this.#host.drivers.find(basename(dirname(path)).replaceAll('~', '/'));
    return driver?.capabilities.supportsMetrics === true ? await this.#host.fileSystemStats(path) : undefined;
  }

  async #opened(source: VolumeSource): Promise<{ readonly flex: FlexSource; readonly driver: FlexDriver }> {
    const flex = sourceOf(source);
    if (flex === undefined) throw new Error(`Volume "${source.volume.name}" is no FlexVolume`);
    const driver = await this.#host.drivers.find(flex.driver);
    if (driver !== undefined) return { flex, driver };
    const words = `failed to get Plugin from volumeSpec for volume ${JSON.stringify(folderName(source))}`;
    const problem = `this node has no FlexVolume driver ${JSON.stringify(flex.driver)}`;
    throw new VolumeNotReady(source.volume.name, 'processing', `${words} err=no volume plugin matched: ${problem}`);
  }

  /** Mounts the device where no pod has done so yet. Returns the device. */
  async #mountDevice(flex: FlexSource, driver: FlexDriver, attached: string): Promise<string> {
    let device = attached;
    try {
      const waited = await driver.tryCall('waitforattach', [attached, optionsJson(flex)], {
        timeoutMs: WAIT_FOR_ATTACH_MS,
      });
      device = waited === undefined ? attached : waited.device;
    } catch (error) {
      throw new VolumeStepError('MountVolume.WaitForAttach', messageOf(error), { cause: error });
    }
    try {
      const path = await this.#devicePath(driver, flex);
      await mkdir(path, { recursive: true, mode: FOLDER_MODE });
      if (await this.#host.mounts.isMountPoint(path)) return device;
      const mounted = await driver.tryCall('mountdevice', [path, device, optionsJson(flex)]);
      if (mounted === undefined && device !== '')
        await this.#devices.mount(device, path, { fsType: flex.fsType, isReadOnly: flex.isReadOnly });
      return device;
    } catch (error) {
      throw new VolumeStepError('MountVolume.MountDevice', messageOf(error), { cause: error });
    }
  }

  async #mountInPod(
    folder: string,
    {
      flex,
      driver,
      request,
    }: { readonly flex: FlexSource; readonly driver: FlexDriver; readonly request: MountRequest },
  ): Promise<void> {
    const { mounts, giveToGroup } = this.#host;
    await mkdir(folder, { recursive: true, mode: FOLDER_MODE });
    if (await mounts.isMountPoint(folder)) return; // by an earlier run of the agent
    try {
      const options = optionsJson(flex, { ...podOptions(request.pod), ...(await secretOptions(flex, request)) });
      const mounted = await driver.tryCall('mount', [folder, options]);
      if (mounted === undefined) await mounts.bind(await this.#devicePath(driver, flex), folder);
    } catch (error) {
      await rmdir(folder).catch(() => undefined); // what is in it is the driver's
      throw error;
    }
    if (!flex.isReadOnly && driver.capabilities.fsGroup) await giveToGroup(folder, request.pod);
  }

  async #unmountInPod(folder: string, name: string): Promise<void> {
    const driver = await this.#host.drivers.find(name);
    if (driver === undefined) throw new Error(`no volume plugin matched name: ${name}`);
    this.#mounted.delete(folder);
    const unmounted = await driver.tryCall('unmount', [folder]);
    if (unmounted === undefined) await this.#host.mounts.unmount(folder);
    await removeEmpty(folder);
  }

  /** Unmounts the device of a volume that no pod uses any more. */
  async #unmountDevice(driver: FlexDriver, volume: string): Promise<void> {
    const { mounts, root } = this.#host;
    const path = deviceFolder(root, driver, volume);
    if (!(await isThere(path)) || (await this.#isUsed(driver, volume))) return;
    if (await mounts.isMountPoint(path)) {
      const unmounted = await driver.tryCall('unmountdevice', [path]);
      if (unmounted === undefined) await mounts.unmount(path);
    }
    await removeEmpty(path);
  }

  async #isUsed(driver: FlexDriver, name: string): Promise<boolean> {
    const { root } = this.#host;
    for (const podUid of await namesIn(join(root, 'pods')))
      if (await isThere(volumeFolder(root, podUid, { plugin: folderOf(driver.name), name }))) return true;
    return false;
  }

  /** Where the device of a volume is mounted. Drivers are asked for a name, and the volume's own is used, as a kubelet does. */
  async #devicePath(driver: FlexDriver, flex: FlexSource): Promise<string> {
    await driver.tryCall('getvolumename', [optionsJson(flex)]);
    return deviceFolder(this.#host.root, driver, flex.name);
  }

  #folder(podUid: string, { driver, name }: FlexSource): string {
    return volumeFolder(this.#host.root, podUid, { plugin: folderOf(driver), name });
  }

  /** The folders of drivers below `volumes` of a pod, also of drivers that are gone. */
  async #driverFolders(podUid: string): Promise<readonly string[]> {
    const found: string[] = [];
    for (const name of await namesIn(join(podFolder(this.#host.root, podUid), 'volumes'))) {
      const isOurs =
        !name.startsWith(BUILT_IN) || (await this.#host.drivers.find(name.replaceAll('~', '/'))) !== undefined;
      if (isOurs) found.push(name);
    }
    return found;
  }
}

function sourceOf({ volume, persistentVolume }: VolumeSource): FlexSource | undefined {
  return flexSourceOf(volume, persistentVolume);
}

function deviceFolder(root: string, driver: FlexDriver, volume: string): string {
  return join(root, 'plugins', NAME, driver.name, 'mounts', volume);
}

function podOptions({ metadata, spec }: Observed<Pod>): Readonly<Record<string, string>> {
  const { fsGroup } = spec?.securityContext ?? {};
  return {
    'kubernetes.io/pod.name': metadata.name,
    'kubernetes.io/pod.namespace': metadata.namespace ?? '',
    'kubernetes.io/pod.uid': metadata.uid,
    'kubernetes.io/serviceAccount.name': spec?.serviceAccountName ?? '',
    ...(fsGroup === undefined ? {} : { 'kubernetes.io/mounterArgs.FsGroup': String(fsGroup) }),
  };
}

/** The data of the Secret in base64, each with a key of its own. */
async function secretOptions(
  { secret, driver }: FlexSource,
  { pod, readSecret }: MountRequest,
): Promise<Readonly<Record<string, string>>> {
  const { name = '', namespace = pod.metadata.namespace ?? '' } = secret ?? {};
  if (name === '' || namespace === '' || readSecret === undefined) return {};
  const problem = (words: string, cause?: unknown): Error =>
    new Error(`couldn't get secret ${namespace}/${name} err: ${words}`, { cause });
  const found = await readSecret(namespace, name).catch((error: unknown) => {
    throw problem(error instanceof Error ? error.message : String(error), error);
  });
  if (found.type !== driver) throw problem(`cannot get secret of type ${driver}`);
  return Object.fromEntries(
    Object.entries(found.data ?? {}).map(([key, value]) => [`kubernetes.io/secret/${key}`, value]),
  );
}

/** Removes a folder. Drivers may have done so; what they have left inside stays. */
async function removeEmpty(folder: string): Promise<void> {
  await rmdir(folder).catch((error: unknown) => {
    if (errorCode(error) !== 'ENOENT') throw error;
  });
}

async function isThere(path: string): Promise<boolean> {
  try {
    await lstat(path);
    return true;
  } catch (error) {
    return errorCode(error) !== 'ENOENT' && errorCode(error) !== 'ENOTDIR'; // what cannot be read is there
  }
}

async function namesIn(folder: string): Promise<readonly string[]> {
  return await readdir(folder).catch(() => []);
}
