import { access, readFile } from 'node:fs/promises';
import { availableParallelism } from 'node:os';
import { amountsOf } from '../../../api/meaning/index.ts';
import { type LinuxBackendOptions } from '../../../linux/index.ts';
import type { KubeletSettings } from './settings/kubelet-fields.ts';
import type { Texts } from './settings/setting.ts';

/** The version of the kubelet whose work the agent does. */
export const KUBELET_VERSION = 'v1.36.3+keelson';

/** What the machine's backend is opened with. */
export function backendOptions(
  settings: KubeletSettings,
  { addresses, rootDir }: { readonly addresses: readonly string[]; readonly rootDir: string },
): LinuxBackendOptions {
  const { maxPods, podsPerCore } = settings;
  return {
    folders: { root: rootDir, podLogs: settings.podLogsDir },
    runtimeEndpoint: settings.containerRuntimeEndpoint,
    cgroupDriver: settings.cgroupDriver === 'systemd' ? 'systemd' : 'cgroupfs',
    addresses,
    clusterServers: settings.clusterDNS,
    clusterDomain: settings.clusterDomain,
    resolvConf: settings.resolvConf,
    maxPods: podsPerCore > 0 ? Math.min(maxPods, podsPerCore * availableParallelism()) : maxPods,
    reserved: sum(settings.systemReserved, settings.kubeReserved),
    kubeletVersion: KUBELET_VERSION,
  };
}

/** Images that are pulled at once; without a limit, as many as the agent lets. */
export function parallelPulls({
  serializeImagePulls,
  maxParallelImagePulls = Infinity,
}: Pick<KubeletSettings, 'serializeImagePulls' | 'maxParallelImagePulls'>): number {
  return serializeImagePulls ? 1 : maxParallelImagePulls;
}

/** Why the machine cannot be a node as it is set up; undefined when it can. */
export async function machineProblem({
  failCgroupV1,
  failSwapOn,
}: Pick<KubeletSettings, 'failCgroupV1' | 'failSwapOn'>): Promise<string | undefined> {
  if (process.getuid?.() !== 0) return 'a node with real containers needs root: it mounts volumes and makes cgroups';
  if (failCgroupV1 && !(await exists('/sys/fs/cgroup/cgroup.controllers')))
    return 'kubelet is configured to not run on a host using cgroup v1. cgroup v1 support is unsupported and will be removed in a future release (failCgroupV1: false runs it all the same)';
  const swaps = await readFile('/proc/swaps', 'utf8').catch(() => '');
  if (failSwapOn && swaps.trim().split('\n').length > 1)
    return `running with swap on is not supported, please disable swap or set --fail-swap-on flag to false. /proc/swaps contained: ${JSON.stringify(swaps.trim().split('\n'))}`;
  return undefined;
}

async function exists(path: string): Promise<boolean> {
  try {
    await access(path);
    return true;
  } catch {
    return false;
  }
}

/** By resource: cpu in cores, others in bytes. */
function sum(...all: readonly Texts[]): Readonly<Record<string, number>> {
  const total: Record<string, number> = {};
  for (const each of all)
    for (const [name, amount] of amountsOf(each))
      total[name] = (total[name] ?? 0) + (name === 'cpu' ? amount.milliValue() / 1000 : amount.value());
  return total;
}
