// A driver with every function that the kit knows, for csi-sanity. Arguments: FOLDER SOCKET
import { cp, mkdir, rm, statfs } from 'node:fs/promises';
import { join } from 'node:path';
import { bindMount, csiDriver, folderRecords, unbindMount } from '../../../src/csi/index.ts';

const [root = '', socket = ''] = process.argv.slice(2);
const NODE = 'node-1';
const at = (id: string): string => join(root, 'data', id);
const copy = (from: string, to: string): Promise<void> => cp(at(from), at(to), { recursive: true });
const remove = ({ id }: { readonly id: string }): Promise<void> => rm(at(id), { recursive: true, force: true });

const driver = csiDriver({
  name: 'whole.csi.example.com',
  version: '1.0.0',
  types: ['mount', 'block'],
  maxVolumesPerNode: 20,
  controller: {
    records: folderRecords(join(root, 'records')),
    copies: ['snapshot', 'volume'],
    mutable: ['iops'],
    async create({ id, copyOf }) {
      await mkdir(at(id), { recursive: true });
      if (copyOf !== undefined) await copy(copyOf.type === 'volume' ? copyOf.volume.id : copyOf.snapshot.id, id);
    },
    delete: remove,
    attach: async ({ id }) => ({ device: id }),
    detach: async () => undefined,
    hasNode: async (id) => id === NODE,
    expand: async () => ({ needsNode: true }),
    modify: async () => undefined,
    snapshot: (snapshot, volume) => copy(volume.id, snapshot.id),
    async snapshotGroup(members) {
      for (const { snapshot, volume } of members) await copy(volume.id, snapshot.id);
    },
    deleteSnapshot: remove,
    health: async () => [],
    capacity: async () => ({ availableBytes: 2 ** 40, maxVolumeBytes: 2 ** 36 }),
  },
  node: {
    id: NODE,
    stage: async () => undefined,
    unstage: async () => undefined,
    publish: ({ id }, { targetPath, isReadOnly }) => bindMount(at(id), targetPath, { isReadOnly }),
    unpublish: (_, { targetPath }) => unbindMount(targetPath),
    expand: async () => undefined,
    health: async () => [],
    storageHealth: async () => [],
    async stats(_, { path }) {
      const { blocks, bavail, bsize, files, ffree } = await statfs(path);
      const [total, available] = [blocks * bsize, bavail * bsize];
      return [
        { unit: 'BYTES', total, available, used: total - available },
        { unit: 'INODES', total: files, available: ffree, used: files - ffree },
      ];
    },
  },
});

const stop = new AbortController();
process.once('SIGTERM', () => stop.abort());
await driver.serve({ listen: `unix://${socket}` }).run(stop.signal);
