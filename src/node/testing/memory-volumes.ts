import { Buffer } from 'node:buffer';
import { type NodeBackend, volumeFolder } from '../backend/index.ts';

/** Volumes and other files of pods as entries of a map, by their paths; a volume's own folder is an empty entry. */
export function memoryVolumes(files: Map<string, string>, root: string): Pick<NodeBackend, 'volumes' | 'files'> {
  const folderOf = (uid: string, name: string): string => volumeFolder(root, uid, { plugin: 'memory', name });
  const remove = (folder: string): void =>
    [...files.keys()].filter((path) => path.startsWith(folder)).forEach((path) => files.delete(path));
  return {
    volumes: [
      {
        name: 'memory',
        refreshEvery: 60_000,
        supports: () => true,
        grow: async () => undefined,
        mount: async ({ pod, volume, payload }) => {
          const folder = folderOf(pod.metadata.uid, volume.name);
          const { files: made, missing } = (await payload?.()) ?? { files: [], missing: [] };
          if (missing[0] !== undefined) throw new Error(missing[0]);
          for (const { path, bytes } of [{ path: '', bytes: Buffer.alloc(0) }, ...made])
            files.set(`${folder}/${path}`, Buffer.from(bytes).toString());
          return folder;
        },
        unmount: async ({ podUid, volume }) => remove(`${folderOf(podUid, volume)}/`),
        mounted: async () =>
          [...files.keys()].flatMap((path) => {
            const [, podUid = '', volume = ''] = /\/pods\/([^/]+)\/volumes\/memory\/([^/]+)\/$/.exec(path) ?? [];
            return podUid === '' ? [] : [{ podUid, volume, path }];
          }),
      },
    ],
    files: {
      write: async (path, content) => void files.set(path, await content()),
      read: async (path) => (files.has(path) ? Buffer.from(files.get(path) ?? '') : undefined),
      pods: async () => [...new Set([...files.keys()].map((path) => path.split('/pods/')[1]?.split('/')[0] ?? ''))],
      removePod: async (uid) => remove(`${root}/pods/${uid}/`),
    },
  };
}
