import { join } from 'node:path';
import { RealClock, type Runnable, runTogether } from '../../base/index.ts';
import { isAttachRequired } from '../../api/meaning/index.ts';
import type { BackendContext, OpenVolumeDrivers, VolumePlugin } from '../../node/index.ts';
import { type PluginHandler, PluginWatcher } from '../../plugins/index.ts';
import { CsiVolumes } from './csi-volumes.ts';
import { DriverObjects } from './driver-objects.ts';
import { DriverRegistration } from './driver-registration.ts';
import { NodeDrivers } from './node-drivers.ts';
import { NodeInfo } from './node-info.ts';
import { NodeUpdates } from './node-updates.ts';
import { namesIn } from './volume-data.ts';
import { VolumeLedger } from './volume-ledger.ts';
import { plainMachine, type VolumeMachine } from './volume-machine.ts';
import { UnstageRetries } from './unstage-retries.ts';
import { VolumePaths } from './volume-paths.ts';

export interface CsiNodeOptions {
  /** The agent's folder. */
  readonly root: string;
  /** Default: the agent mounts nothing itself. */
  readonly machine?: VolumeMachine;
  /** Drivers whose volumes another plugin mounts; default none. */
  readonly otherDrivers?: readonly string[];
}

/** CSI on a node. */
export interface CsiOnNode extends AsyncDisposable {
  readonly plugin: VolumePlugin;
  /** For the plugin watcher. */
  readonly handler: PluginHandler;
  readonly task: Runnable;
}

/** Opens CSI on a node, and finds what earlier runs of the agent have staged and published. */
export async function openCsiNode(
  node: string,
  { client, clock, random, log, changed }: Pick<BackendContext, 'client' | 'clock' | 'random' | 'log' | 'changed'>,
  { root, machine = plainMachine(root), otherDrivers = [] }: CsiNodeOptions,
): Promise<CsiOnNode> {
  const paths = new VolumePaths(root);
  const ledger = new VolumeLedger();
  await ledger.read(paths, log);
  for (const podUid of await namesIn(paths.pods)) await machine.removeEmptyFolders(podUid);
  const objects = new DriverObjects(client, { node, clock, random });
  const unattached = await unattachedDrivers(new Set(ledger.held().values()), objects);
  const drivers = new NodeDrivers({ clock, random, log });
  const nodeInfo = new NodeInfo({ client, node, clock, random });
  const retries = new UnstageRetries({ clock, random, log, release: () => plugin.releaseUnused() });
  const notUnstaged = (error: unknown): void => retries.failed(error);
  const parts = { paths, ledger, drivers, objects, machine, node, otherDrivers, unattached, changed, notUnstaged };
  const plugin = new CsiVolumes(parts);
  const updates = new NodeUpdates({ drivers, objects, nodeInfo, clock, log });
  return {
    plugin,
    handler: new DriverRegistration({ drivers, nodeInfo, log }),
    task: { run: (signal) => runTogether([updates, retries], signal) },
    [Symbol.asyncDispose]: () => drivers[Symbol.asyncDispose](),
  };
}

/**
 * Drivers whose volumes are known not to be attached. Where the cluster cannot be asked, volumes count as attached, which only delays that
 * another node gets them.
 */
async function unattachedDrivers(names: ReadonlySet<string>, objects: DriverObjects): Promise<Set<string>> {
  const found = new Set<string>();
  for (const name of names) {
    const isRequired = await objects.driver(name).then(isAttachRequired, () => true);
    if (!isRequired) found.add(name);
  }
  return found;
}

/** Where drivers of nodes without mounts of their own register, and where their volumes are. */
export interface NodeDriversOptions {
  /** A folder for all nodes. That of each, by its name, is laid out as `/var/lib/kubelet`: sockets are found in `plugins_registry`. */
  readonly folder: string;
}

/**
 * Runs CSI drivers on nodes that have no mounts of their own, such as simulated ones: drivers get the same calls as on a real node, in
 * folders below the given one.
 *
 * Example: `simulatedBackend({ volumeDrivers: csiDriversIn({ folder }) })`
 */
export function csiDriversIn({ folder }: NodeDriversOptions): OpenVolumeDrivers {
  return async (node, context) => {
    const { random, log } = context;
    const clock = new RealClock(); // drivers run in real time, whatever time the nodes have
    const root = join(folder, node.name);
    const csi = await openCsiNode(node.name, { ...context, clock }, { root, otherDrivers: node.drivers });
    const watcher = new PluginWatcher({
      ...{ clock, random, log },
      folder: join(root, 'plugins_registry'),
      handlers: [csi.handler],
    });
    return {
      root,
      plugins: [csi.plugin],
      tasks: [watcher, csi.task],
      [Symbol.asyncDispose]: () => csi[Symbol.asyncDispose](),
    };
  };
}
