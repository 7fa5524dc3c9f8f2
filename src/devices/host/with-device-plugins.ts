import { join } from 'node:path';
import type { BackendContext, BackendMetrics, NodeBackend, NodeDevices } from '../../node/index.ts';
import { DiskCheckpoints } from '../../system/index.ts';
import { DevicePlugins } from './device-plugins.ts';

/** The folder of device plugins in the folder of an agent. */
export const DEVICE_PLUGINS = 'device-plugins';

export interface WithDevicePluginsOptions {
  readonly context: BackendContext;
  /** The folder that takes the place of `/var/lib/kubelet` for the node. */
  readonly root: string;
  /** The NUMA nodes of the machine. */
  readonly numaNodes: readonly number[];
  /** False where the backend allocates devices together with processors and memory, when it admits a pod. */
  readonly isAdmitting: boolean;
}

/** Opens the sockets of device plugins, and a backend of any kind that has their devices. */
export async function openWithDevicePlugins(
  open: (plugins: DevicePlugins) => Promise<NodeBackend>,
  { context, root, numaNodes, isAdmitting }: WithDevicePluginsOptions,
): Promise<NodeBackend> {
  const folder = join(root, DEVICE_PLUGINS);
  const plugins = await DevicePlugins.open({ ...context, folder, numaNodes, checkpoints: new DiskCheckpoints(folder) });
  try {
    return withPlugins(await open(plugins), plugins, { isAdmitting });
  } catch (error) {
    await plugins[Symbol.asyncDispose]();
    throw error;
  }
}

function withPlugins(
  backend: NodeBackend,
  plugins: DevicePlugins,
  options: { readonly isAdmitting: boolean },
): NodeBackend {
  const { metrics } = backend;
  return {
    ...backend,
    podUpdated: (pod) => backend.podUpdated(pod),
    devices: pluginDevices(plugins, backend.devices, options),
    metrics: withPluginMetrics(metrics, plugins),
    healthChecks: [...(backend.healthChecks ?? []), plugins.health],
    async [Symbol.asyncDispose]() {
      await plugins[Symbol.asyncDispose]();
      await backend[Symbol.asyncDispose]();
    },
  };
}

/** The metrics of a backend with those of device plugins. */
export function withPluginMetrics(others: BackendMetrics | undefined, plugins: DevicePlugins): BackendMetrics {
  return {
    families: () => [...(others?.families() ?? []), ...plugins.metrics.families()],
    pullMs: (uid) => others?.pullMs(uid) ?? 0,
  };
}

/** Devices of plugins beside those that a backend has. Where the topology manager allocates devices, `isAdmitting` is false. */
export function pluginDevices(
  plugins: DevicePlugins,
  others: NodeDevices,
  { isAdmitting }: { readonly isAdmitting: boolean },
): NodeDevices {
  return {
    admit: async (pod) => (await others.admit(pod)) ?? (isAdmitting ? await plugins.admit(pod) : undefined),
    prepare: (pod, claims, signal) => others.prepare(pod, claims, signal),
    containerEdits: (pod, container) => plugins.containerEdits(pod, container),
    given: (podUid, container) => plugins.given(podUid, container),
    claimed: (pod, container) => others.claimed(pod, container),
    givable: () => plugins.givable(),
    podUids: () => [...new Set([...others.podUids(), ...plugins.podUids()])],
    async unprepare(podUid) {
      await plugins.unprepare(podUid);
      await others.unprepare(podUid);
    },
    resources() {
      const { capacity, allocatable } = plugins.resources();
      const own = others.resources();
      return { capacity: { ...own.capacity, ...capacity }, allocatable: { ...own.allocatable, ...allocatable } };
    },
  };
}
