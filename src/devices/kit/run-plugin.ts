import { formatWithStack, LineLogger, type LogLevel, RealClock } from '../../base/index.ts';
import { type NodePlugin, runHost, StopSignals } from '../../kit/index.ts';
import type { DevicePlugin } from './device-plugin.ts';
import type { DraDriver } from './dra-driver.ts';

/** How a plugin or driver runs as a program. */
export interface RunPluginOptions {
  /** The folder of the node's agent; default the variable `KUBELET_DIR`, or `/var/lib/kubelet`. */
  readonly kubeletDir?: string;
  /** For DRA drivers: where the runtime looks for CDI files; default the variable `CDI_DIR`, or `/var/run/cdi`. */
  readonly cdiDir?: string;
  /** For DRA drivers: default the variable `NODE_NAME`. */
  readonly nodeName?: string;
  /** What is logged to stderr; default `info`. */
  readonly logLevel?: LogLevel;
}

const KUBELET_DIR = '/var/lib/kubelet';
const CDI_DIR = '/var/run/cdi';

/**
 * Runs a device plugin or a DRA driver as the program of this process, until SIGTERM or SIGINT. `keelson manifests` writes a DaemonSet for what is passed
 * to it.
 *
 * Example: `await runPlugin(draDriver({ name: 'gpu.example.com', devices, prepare }))`
 */
export async function runPlugin(plugin: DevicePlugin | DraDriver, options: RunPluginOptions = {}): Promise<void> {
  const { KUBELET_DIR: agentDir = KUBELET_DIR, CDI_DIR: specDir = CDI_DIR } = process.env;
  const { kubeletDir = agentDir, cdiDir = specDir, nodeName, logLevel: level = 'info' } = options;
  const host = runHost();
  if (host?.serve !== undefined) return await host.serve(nodePluginOf(plugin, { kubeletDir, cdiDir }));
  const write = (line: string): void => void process.stderr.write(line);
  const log = new LineLogger({ clock: new RealClock(), level, format: formatWithStack, write });
  using stop = new StopSignals();
  const served = isDriver(plugin)
    ? plugin.serve({ kubeletDir, cdiDir, log, ...(nodeName === undefined ? {} : { nodeName }) })
    : plugin.serve({ kubeletDir, log });
  await served.run(stop.signal);
}

/** What a plugin needs on its node and of its cluster. */
function nodePluginOf(
  plugin: DevicePlugin | DraDriver,
  { kubeletDir, cdiDir }: { readonly kubeletDir: string; readonly cdiDir: string },
): NodePlugin {
  const named = (name: string): string =>
    name
      .toLowerCase()
      .replaceAll(/[^a-z0-9]+/g, '-')
      .slice(0, MAX_NAME);
  if (!isDriver(plugin))
    return {
      name: named(plugin.resource),
      folders: [`${kubeletDir}/device-plugins`],
      ...{ rules: [], publishesSlices: false },
    };
  const GROUP = 'resource.k8s.io';
  return {
    name: named(plugin.name),
    folders: [`${kubeletDir}/plugins_registry`, `${kubeletDir}/plugins`, cdiDir],
    rules: [
      { apiGroups: [''], resources: ['nodes'], verbs: ['get'] },
      { apiGroups: [GROUP], resources: ['resourceclaims'], verbs: ['get'] },
      { apiGroups: [GROUP], resources: ['resourceclaims/status'], verbs: ['patch'] },
      {
        apiGroups: [GROUP],
        resources: ['resourceclaims/driver'],
        resourceNames: [plugin.name],
        verbs: ['associated-node:patch', 'associated-node:update'],
      },
      { apiGroups: [GROUP], resources: ['resourceslices'], verbs: ['list', 'watch', 'create', 'update', 'delete'] },
    ],
    publishesSlices: true,
  };
}

/** The limit of names that become labels. */
const MAX_NAME = 63;

function isDriver(plugin: DevicePlugin | DraDriver): plugin is DraDriver {
  return 'name' in plugin;
}
