import { type Volume, volumeFolder, type VolumePlugin, type VolumeSource } from '../node/index.ts';

/** The plugins of a kubelet that are not called as their field in the API. */
const PLUGIN_NAMES: Readonly<Record<string, string>> = { emptyDir: 'empty-dir', downwardAPI: 'downward-api' };

/** Where a kubelet would have a volume. */
export function volumePath(root: string, podUid: string, { name, ...source }: Volume): string {
  if (source.hostPath !== undefined) return source.hostPath.path;
  const [kind = 'emptyDir'] = Object.keys(source);
  return volumeFolder(root, podUid, { plugin: `kubernetes.io/${PLUGIN_NAMES[kind] ?? kind.toLowerCase()}`, name });
}

/** Takes every volume to be there already. Content from the API is computed when a command in a container looks at it. */
export function simulatedVolumes(root: string): VolumePlugin {
  return {
    name: 'keelson.dev/simulated',
    refreshEveryMs: undefined,
    supports: (_source: VolumeSource) => true,
    mount: async ({ pod, volume }) => volumePath(root, pod.metadata.uid, volume),
    unmount: async () => undefined,
    mounted: async () => [], // nothing is kept, so nothing is left behind
    grow: async () => undefined,
  };
}
