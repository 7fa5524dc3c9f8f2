import { chmod, mkdir, rename, statfs } from 'node:fs/promises';
import { join } from 'node:path';
import { removeTree } from '../../system/index.ts';
import { bindMount, unbindMount } from '../kit/bind-mount.ts';
import { type CsiDriver, csiDriver } from '../kit/csi-driver.ts';
import { CsiError } from '../kit/csi-error.ts';
import { folderRecords } from '../records/folder-records.ts';
import type { VolumeRecord } from '../records/records.ts';
import { ProjectNumbers } from './project-numbers.ts';
import type { FolderQuotas } from './folder-quotas.ts';

export const LOCAL_DRIVER = 'local.csi.keelson.dev';
/** The label that nodes get with the driver, and by which volumes say where they are. */
export const LOCAL_NODE = `${LOCAL_DRIVER}/node`;
/** What a file system and the machine's own programs need besides volumes. */
const SPARE = 0.02;

export interface LocalDriverOptions {
  /** Where the volumes are; on a file system of their own, if possible. */
  readonly folder: string;
  readonly nodeName: string;
  readonly version: string;
  /** Makes the sizes of volumes limits; undefined where nothing limits them. */
  readonly quotas: FolderQuotas | undefined;
  /** How volumes become visible; default by bind mounts, which needs root. */
  readonly mounts?: {
    bind(source: string, target: string, options: { readonly isReadOnly: boolean }): Promise<void>;
    unbind(target: string): Promise<void>;
  };
}

/**
 * Volumes that are folders of a node's disk.
 *
 * Guarantees: with quotas, a volume never holds more than its size, and the sizes of all volumes together fit the disk. A volume that is
 * being deleted is out of sight before its first file goes.
 */
export function localDriver(options: LocalDriverOptions): CsiDriver {
  const { folder, nodeName, version, quotas } = options;
  const mounts = options.mounts ?? { bind: bindMount, unbind: unbindMount };
  const records = folderRecords(join(folder, 'records'));
  const projects = new ProjectNumbers(join(folder, 'projects'));
  const place = { [LOCAL_NODE]: nodeName };
  const at = (id: string): string => join(folder, 'data', id);
  const doomed = (id: string): string => join(folder, 'deleted', id);
  let last: Promise<unknown> = Promise.resolve();

  /** One after the other: each looks at the room that the others have left. */
  const inTurn = async <T>(work: () => Promise<T>): Promise<T> => {
    const own = last.then(work);
    last = own.catch(() => undefined);
    return await own;
  };
  const room = async (): Promise<number> => freeBytes(await records.volumes.list());
  /** Gives a volume its size; `moreBytes` is what it has not got yet. */
  const reserve = async (id: string, bytes: number, moreBytes: number): Promise<void> => {
    const others = (await records.volumes.list()).filter((each) => each.id !== id);
    const unused = quotas === undefined ? 0 : bytes - moreBytes - (await quotas.usedBytes(at(id), bytes - moreBytes));
    const free = (await freeBytes(others)) - Math.max(0, unused);
    if (moreBytes > free)
      throw new CsiError(
        'RESOURCE_EXHAUSTED',
        `node "${nodeName}" has ${free} bytes free, and ${moreBytes} are asked for`,
      );
    await quotas?.limit(at(id), { project: await projects.of(id), bytes });
  };

  return csiDriver({
    name: LOCAL_DRIVER,
    version,
    accessModes: [
      'SINGLE_NODE_WRITER',
      'SINGLE_NODE_READER_ONLY',
      'SINGLE_NODE_SINGLE_WRITER',
      'SINGLE_NODE_MULTI_WRITER',
    ],
    controller: {
      records,
      async create({ id, capacityBytes, parameters, accessibility }) {
        const [unknown] = Object.keys(parameters).filter((name) => !name.startsWith('csi.storage.k8s.io/'));
        if (unknown !== undefined)
          throw new CsiError('INVALID_ARGUMENT', `class has an unknown parameter "${unknown}"`);
        if (
          accessibility !== undefined &&
          !accessibility.requisite.some((segments) => segments[LOCAL_NODE] === nodeName)
        )
          throw new CsiError('RESOURCE_EXHAUSTED', `the volume is wanted elsewhere than on node "${nodeName}"`);
        await inTurn(async () => {
          await mkdir(join(folder, 'data'), { recursive: true, mode: 0o700 });
          await (quotas === undefined ? mkdir(at(id), { recursive: true }) : quotas.make(at(id)));
          await reserve(id, capacityBytes, capacityBytes);
          await chmod(at(id), 0o777); // containers of any user write to it, as to an emptyDir
        });
        return { topology: [place] };
      },
      async delete({ id }) {
        await mkdir(join(folder, 'deleted'), { recursive: true, mode: 0o700 });
        await rename(at(id), doomed(id)).catch((error: NodeJS.ErrnoException) => {
          if (error.code !== 'ENOENT') throw error; // an earlier call has begun
        });
        await (quotas === undefined ? removeTree(doomed(id)) : quotas.remove(doomed(id)));
        const project = await projects.find(id);
        if (project !== undefined) await quotas?.forget(project);
        await projects.forget(id);
      },
      expand: async ({ id, capacityBytes: before }, { capacityBytes }) => {
        await inTurn(() => reserve(id, capacityBytes, capacityBytes - before));
      },
      capacity: async ({ topology }) => {
        const isHere = (topology[LOCAL_NODE] ?? nodeName) === nodeName;
        return { availableBytes: isHere ? await room() : 0 };
      },
    },
    node: {
      id: nodeName,
      topology: place,
      publish: ({ id }, { targetPath, isReadOnly }) => mounts.bind(at(id), targetPath, { isReadOnly }),
      unpublish: (_, { targetPath }) => mounts.unbind(targetPath),
      async stats(_, { path }) {
        const { blocks, bfree, bavail, bsize, files, ffree } = await statfs(path);
        return [
          { unit: 'BYTES', total: blocks * bsize, available: bavail * bsize, used: (blocks - bfree) * bsize },
          { unit: 'INODES', total: files, available: ffree, used: files - ffree },
        ];
      },
    },
  });

  /** What new volumes may have: what is free, without what these may still write. */
  async function freeBytes(limited: readonly VolumeRecord[]): Promise<number> {
    const { blocks, bavail, bsize } = await statfs(folder);
    let free = bavail * bsize - blocks * bsize * SPARE;
    if (quotas !== undefined)
      for (const { id, capacityBytes } of limited)
        free -= Math.max(0, capacityBytes - (await quotas.usedBytes(at(id), capacityBytes)));
    return Math.max(0, Math.floor(free));
  }
}
