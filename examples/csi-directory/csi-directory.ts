import { cp, mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { bindMount, type CsiDriver, csiDriver, folderRecords, unbindMount } from 'keelson/csi';

/** Volumes that are folders below one folder of a machine. */
export function directoryDriver(root: string, node: string): CsiDriver {
  const at = (id: string): string => join(root, 'data', id);
  const copy = (from: string, to: string): Promise<void> => cp(at(from), at(to), { recursive: true });
  return csiDriver({
    name: 'directory.csi.example.com',
    version: '1.0.0',
    controller: {
      records: folderRecords(join(root, 'records')),
      copies: ['snapshot', 'volume'],
      async create({ id, copyOf }) {
        await mkdir(at(id), { recursive: true });
        if (copyOf !== undefined) await copy(copyOf.type === 'volume' ? copyOf.volume.id : copyOf.snapshot.id, id);
      },
      delete: ({ id }) => rm(at(id), { recursive: true, force: true }),
      snapshot: (snapshot, volume) => copy(volume.id, snapshot.id),
      deleteSnapshot: ({ id }) => rm(at(id), { recursive: true, force: true }),
      expand: async () => undefined, // a folder has no size
    },
    node: {
      id: node,
      publish: ({ id }, { targetPath, isReadOnly }) => bindMount(at(id), targetPath, { isReadOnly }),
      unpublish: (_, { targetPath }) => unbindMount(targetPath),
    },
  });
}
