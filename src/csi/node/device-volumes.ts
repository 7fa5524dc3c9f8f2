import { mkdir, readlink, rm, rmdir, stat, symlink } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { CSIDriver } from '../../api/types/storage/v1.d.ts';
import { type DeepReadonly, messageOf } from '../../base/index.ts';
import { errorCode } from '../../system/index.ts';
import type { DriverObjects } from './driver-objects.ts';
import { DriverCallError } from './node-client.ts';
import type { NodeDrivers } from './node-drivers.ts';
import { loadVolumeData, saveVolumeData } from './volume-data.ts';
import type { StagedVolume, VolumeLedger, VolumeUseRecord } from './volume-ledger.ts';
import type { VolumeMachine } from './volume-machine.ts';
import type { VolumePaths } from './volume-paths.ts';
import { clientOf, failure, step } from './volume-steps.ts';
import { publishUse, useOf, type WantedVolume } from './wanted-volume.ts';

type Driver = DeepReadonly<CSIDriver>;

export interface DeviceVolumesParts {
  readonly paths: VolumePaths;
  readonly ledger: VolumeLedger;
  readonly drivers: NodeDrivers;
  readonly objects: DriverObjects;
  readonly machine: VolumeMachine;
  /** The name of the node. */
  readonly node: string;
}

/** Raw block volumes of CSI drivers (`volumeMode: Block`): the driver makes a device, and containers get it by a link in the pod's folder. */
export class DeviceVolumes {
  readonly #parts: DeviceVolumesParts;

  constructor(parts: DeviceVolumesParts) {
    this.#parts = parts;
  }

  /** Stages and publishes the device, and returns the link to it. */
  async map(wanted: WantedVolume, driver: Driver | undefined): Promise<string> {
    const { objects } = this.#parts;
    const { driverName, handle, request } = wanted;
    await step('MapVolume.WaitForAttach', () =>
      objects.checkAttachment({ driver: driverName, volumeHandle: handle }, driver, request.signal),
    );
    await step('MapVolume.SetUpDevice', () => this.#stage(wanted, driver));
    return await step('MapVolume.MapPodDevice', () => this.#publish(wanted, driver));
  }

  async unmap({ driver, handle, podUid, spec }: VolumeUseRecord): Promise<void> {
    const { paths, drivers, machine } = this.#parts;
    const link = paths.deviceLink(podUid, spec);
    if ((await readlink(link).catch(() => undefined)) === undefined) return; // the driver was never called, or all is undone
    const client = clientOf(drivers, driver, 'blockMapper.UnmapPodDevice failed to get CSI client');
    await machine.unbindFile(join(paths.device(spec), 'dev', podUid));
    await client.unpublish(handle, paths.publishedDevice(podUid, spec)).catch((error: unknown) => {
      throw failure(`blockMapper.unpublishVolumeForBlock failed: ${messageOf(error)}`, error);
    });
    await rm(link, { force: true });
  }

  /** Undoes staging, once no pod has the device. */
  async unstage(staged: StagedVolume, spec: string): Promise<void> {
    const { drivers, machine } = this.#parts;
    const { driver, handle, stagingPath } = staged;
    staged.isDone = false; // whatever comes of it
    const client = clientOf(drivers, driver, 'blockMapper.TearDownDevice failed to get CSI client');
    const isThere = (await stat(stagingPath).catch(() => undefined)) !== undefined;
    if (isThere && (await client.capabilities()).stages) {
      await client.unstage(handle, stagingPath).catch((error: unknown) => {
        throw failure(`blockMapper.unstageVolumeForBlock failed: ${messageOf(error)}`, error);
      });
      await machine.removeFolder(stagingPath);
    }
    await this.#removeFiles(spec);
  }

  async #stage(wanted: WantedVolume, driver: Driver | undefined): Promise<void> {
    const { drivers, objects, ledger, paths, node } = this.#parts;
    const { driverName, handle, spec, request } = wanted;
    const { persistentVolume, signal } = request;
    const client = clientOf(drivers, driverName, 'blockMapper.SetUpDevice failed to get CSI client');
    const capabilities = await client.capabilities(signal);
    const known = ledger.staged({ driver: driverName, handle });
    if (known?.isDone === true) return;
    const ids = { driver: driverName, volumeHandle: handle };
    const folder = join(paths.device(spec), 'data');
    const stagingPath = paths.stagedDevice(spec);
    await saveVolumeData(folder, {
      ...{ specVolID: spec, volumeHandle: handle, driverName, nodeName: node },
      attachmentID: objects.attachmentName(ids),
    });
    const staged = ledger.stage({
      ...{ driver: driverName, handle, folder, stagingPath },
      ...{ device: spec, isDone: false },
    });
    if (capabilities.stages) {
      const publishContext = await objects.publishContext(ids, driver, signal);
      const secretRef = persistentVolume?.spec?.csi?.nodeStageSecretRef;
      const secrets = await objects.secret(secretRef, 'NodeStageSecretRef', signal);
      const use = useOf(wanted, { publishContext, secrets, volumeContext: wanted.attributes, group: undefined });
      await mkdir(stagingPath, { recursive: true, mode: 0o750 });
      try {
        await client.stage(use, { stagingPath, capabilities, signal });
      } catch (error) {
        if (known === undefined && error instanceof DriverCallError && error.isFinal)
          await this.#removeFiles(spec).then(
            () => ledger.unstaged(staged),
            () => undefined, // it is removed with the pod
          );
        throw error;
      }
    }
    staged.isDone = true;
  }

  async #publish(wanted: WantedVolume, driver: Driver | undefined): Promise<string> {
    const { drivers, objects, paths, machine } = this.#parts;
    const { driverName, spec, isReadOnly, request } = wanted;
    const { pod, signal } = request;
    const { uid } = pod.metadata;
    const client = clientOf(drivers, driverName, 'blockMapper.MapPodDevice failed to get CSI client');
    const capabilities = await client.capabilities(signal);
    const use = await publishUse(wanted, driver, objects);
    const targetPath = paths.publishedDevice(uid, spec);
    await mkdir(dirname(targetPath), { recursive: true, mode: 0o750 });
    const link = paths.deviceLink(uid, spec);
    await linkTo(targetPath, link); // before the call, so that the next run of the agent knows of it
    await client.publish(use, { targetPath, stagingPath: paths.stagedDevice(spec), isReadOnly, capabilities, signal });
    await machine.bindFile(targetPath, join(paths.device(spec), 'dev', uid));
    return link;
  }

  async #removeFiles(spec: string): Promise<void> {
    const { paths, machine } = this.#parts;
    await removeEmpty(dirname(paths.publishedDevice('-', spec)));
    await removeEmpty(paths.stagedDevice(spec));
    await removeEmpty(join(paths.device(spec), 'dev'));
    if ((await loadVolumeData(join(paths.device(spec), 'data'))) !== undefined)
      await machine.removeFolder(paths.device(spec));
  }
}

async function linkTo(target: string, link: string): Promise<void> {
  if ((await readlink(link).catch(() => undefined)) === target) return;
  await mkdir(dirname(link), { recursive: true, mode: 0o750 });
  await rm(link, { force: true });
  await symlink(target, link);
}

async function removeEmpty(folder: string): Promise<void> {
  try {
    await rmdir(folder);
  } catch (error) {
    if (errorCode(error) !== 'ENOENT') throw error;
  }
}
