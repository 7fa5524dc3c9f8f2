import { mkdir, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Observed, Pod } from '../client/index.ts';
import { type MountedVolume, type MountRequest, volumeFolder, type VolumePlugin } from '../node/index.ts';
import { writePayload } from './payload-folder.ts';

/** How often ConfigMaps, Secrets and tokens are read again; a kubelet's default. */
const REFRESH_MS = 60_000;
const PLUGIN = 'keelson.dev/processes';

export interface ProcessVolumesParts {
  /** The agent's folder. */
  readonly root: string;
  /** The folder of PersistentVolumes that are not folders of the machine already. */
  readonly persistent: string;
  /** Whether any container of the pod is a process. */
  isProcessPod(pod: Observed<Pod>): boolean;
  /** Mounts the volumes of other pods. */
  readonly others: VolumePlugin;
}

/** Volumes of pods with processes are folders of this machine. Those of other pods stay simulated. */
export function processVolumes({ root, persistent, isProcessPod, others }: ProcessVolumesParts): VolumePlugin {
  const pods = join(root, 'pods');
  const folderOf = (podUid: string, name: string): string => volumeFolder(root, podUid, { plugin: PLUGIN, name });
  const folderName = PLUGIN.replace('/', '~');
  return {
    name: PLUGIN,
    refreshEvery: REFRESH_MS,
    supports: () => true,
    async mount(request) {
      const { pod, volume, payload } = request;
      if (!isProcessPod(pod)) return others.mount(request);
      const own = folderOf(pod.metadata.uid, volume.name);
      if (payload === undefined) return folderFor(request, { own, persistent });
      const { files, missing } = await payload();
      if (missing[0] !== undefined) throw new Error(missing.join(', '));
      await writePayload(own, files);
      return own;
    },
    async unmount({ podUid, volume }) {
      await others.unmount({ podUid, volume });
      await rm(folderOf(podUid, volume), { recursive: true, force: true });
    },
    async mounted() {
      const uids = await namesIn(pods);
      const found = await Promise.all(
        uids.map(async (podUid): Promise<readonly MountedVolume[]> => {
          const volumes = await namesIn(join(pods, podUid, 'volumes', folderName));
          return volumes.map((volume) => ({ podUid, volume, path: folderOf(podUid, volume) }));
        }),
      );
      return [...(await others.mounted()), ...found.flat()];
    },
    grow: async () => undefined, // a folder is as large as its disk
  };
}

/** The folder of a volume whose content does not come from the API. */
async function folderFor(
  { volume, persistentVolume }: MountRequest,
  { own, persistent }: { readonly own: string; readonly persistent: string },
): Promise<string> {
  const { hostPath = persistentVolume?.spec?.hostPath, emptyDir } = volume;
  if (hostPath !== undefined) return machinePath(hostPath.path, hostPath.type ?? '');
  const local = persistentVolume?.spec?.local?.path;
  if (local !== undefined) return machinePath(local, 'Directory');
  const folder = persistentVolume === undefined ? own : join(persistent, persistentVolume.metadata.name);
  if (persistentVolume === undefined && emptyDir === undefined) {
    const kind = Object.keys(volume).find((key) => key !== 'name') ?? 'unknown';
    throw new Error(`processes of this machine have no volumes of type ${kind}`);
  }
  await mkdir(folder, { recursive: true, mode: 0o700 });
  return folder;
}

/** A path of the machine, made if its type says so. */
async function machinePath(path: string, type: string): Promise<string> {
  if (type === 'DirectoryOrCreate') await mkdir(path, { recursive: true });
  if (type === 'FileOrCreate') await writeFile(path, '', { flag: 'a' });
  try {
    await stat(path);
  } catch (cause) {
    if (type !== '') throw new Error(`hostPath type check failed: ${path} is not a ${type}`, { cause });
    await mkdir(path, { recursive: true });
  }
  return path;
}

async function namesIn(folder: string): Promise<readonly string[]> {
  return readdir(folder).catch(() => []); // no pod has been there yet
}
