import { join } from 'node:path';
import { DisposeStack, type Runnable } from '../base/index.ts';
import { openCsiNode } from '../csi/index.ts';
import { DEVICE_PLUGINS, DevicePlugins, draDevices, DraDrivers, nodeSlices, pluginDevices } from '../devices/index.ts';
import { DRIVER_FOLDER, DriverFolder } from '../flexvolume/index.ts';
import type { BackendContext, NodeDevices, VolumePlugin } from '../node/index.ts';
import { PluginWatcher } from '../plugins/index.ts';
import { DiskCheckpoints, type Mounts } from '../system/index.ts';
import { driverMachine } from './volumes/index.ts';

export interface LinuxDriversOptions {
  /** The agent's folder. */
  readonly root: string;
  readonly mounts: Mounts;
  /** The NUMA nodes of the machine. */
  readonly numaNodes: readonly number[];
  /** Folder of FlexVolume drivers; default the kubelet's. */
  readonly volumePluginDir?: string | undefined;
}

/** What other programs on this machine add to the node: volumes and devices. */
export interface LinuxDrivers extends AsyncDisposable {
  /** The volumes of CSI drivers. */
  readonly csiVolumes: VolumePlugin;
  readonly flexDrivers: DriverFolder;
  /** Device plugins, whose devices the topology manager allocates. */
  readonly devicePlugins: DevicePlugins;
  /** Drivers of devices that claims ask for. */
  readonly draDrivers: DraDrivers;
  /** The devices of plugins, and those of claims. */
  readonly devices: NodeDevices;
  readonly tasks: readonly Runnable[];
}

/**
 * Opens the node's side of all kinds of drivers, with what earlier runs of the agent have given to pods.
 *
 * Guarantees: when a step fails, what the steps before it have opened is closed.
 */
export async function openLinuxDrivers(
  node: string,
  context: Pick<BackendContext, 'client' | 'clock' | 'random' | 'log' | 'changed' | 'podChanged'>,
  { root, mounts, numaNodes, volumePluginDir = DRIVER_FOLDER }: LinuxDriversOptions,
): Promise<LinuxDrivers> {
  const { client, clock, random, log, changed, podChanged } = context;
  const tools = { clock, random, log };
  await using opened = new DisposeStack();
  const folder = join(root, DEVICE_PLUGINS);
  const devicePlugins = opened.use(
    await DevicePlugins.open({
      ...{ ...tools, folder, numaNodes, changed, podChanged },
      checkpoints: new DiskCheckpoints(folder),
    }),
  );
  const draDrivers = opened.use(
    await DraDrivers.open({
      ...tools,
      checkpoints: new DiskCheckpoints(root),
      removeSlices: nodeSlices(client, node),
      podChanged,
    }),
  );
  const csi = opened.use(await openCsiNode(node, context, { root, machine: driverMachine({ root, mounts, log }) }));
  const flexDrivers = new DriverFolder(volumePluginDir, { clock, log });
  const watcher = new PluginWatcher({
    ...tools,
    folder: join(root, 'plugins_registry'),
    handlers: [csi.handler, draDrivers.handler, devicePlugins.handler],
  });
  const owned = opened.move();
  return {
    csiVolumes: csi.plugin,
    flexDrivers,
    devicePlugins,
    draDrivers,
    devices: pluginDevices(devicePlugins, draDevices(draDrivers), { isAdmitting: false }),
    tasks: [watcher, csi.task, draDrivers, flexDrivers],
    [Symbol.asyncDispose]: () => owned[Symbol.asyncDispose](),
  };
}
