import { type Volume, volumeFolder, type VolumePlugin, type VolumeSource } from '../node/index.ts';

/** Volume plugins of the kubelet whose name differs from their field in the API. */
const PLUGIN_NAMES: Readonly<Record<string, string>> = { emptyDir: 'empty-dir', downwardAPI: 'downward-api' };

/** The path that a kubelet uses for a volume. */
export function volumePath(root: string, podUid: string, { name, ...source }: Volume): string {
  if (source.hostPath !== undefined) return source.hostPath.path;
  const [kind = 'emptyDir'] = Object.keys(source);
  return volumeFolder(root, podUid, { plugin: `kubernetes.io/${PLUGIN_NAMES[kind] ?? kind.toLowerCase()}`, name });
}

export const SIMULATED_VOLUMES = 'keelson.dev/simulated';

/** Treats every volume as mounted. Content from the API is read when a command in a container needs it. */
export function simulatedVolumes(root: string): VolumePlugin {
  return {
    name: SIMULATED_VOLUMES,
    refreshEvery: undefined,
    supports: (_source: VolumeSource) => true,
    mount: async ({ pod, volume }) => volumePath(root, pod.metadata.uid, volume),
    unmount: async () => undefined,
    mounted: async () => [], // nothing is mounted, so nothing has to be cleaned up
    grow: async () => undefined,
  };
}
