import type { Stats } from 'node:fs';
import { lstat, opendir, statfs } from 'node:fs/promises';
import { join } from 'node:path';
import type { SpaceUsage, VolumeStats } from '../../node/index.ts';
import { errorCode } from '../../system/index.ts';

const BLOCK_BYTES = 512;
/** Folders that wait to be read. A tree with more of them at once is walked to the depth first, so this bounds memory, not size. */
const MAX_LINKED = 1_000_000;

/**
 * The space that the files below a folder take on its file system. Files with several names count once; other file systems below it do
 * not count. Reads a few entries at a time, so that other work goes on meanwhile.
 */
export async function diskUsage(folder: string, signal: AbortSignal): Promise<SpaceUsage> {
  const root = await lstat(folder).catch(unlessGone);
  if (root === undefined) return { bytes: 0, inodes: 0 };
  const { dev } = root;
  const linked = new Set<number>();
  const folders = [folder];
  let [bytes, inodes] = [0, 0];
  /** Whether to go on with what is in it. */
  const count = (stats: Stats | undefined): boolean => {
    if (stats === undefined || stats.dev !== dev) return false;
    if (stats.nlink > 1 && !stats.isDirectory()) {
      if (linked.has(stats.ino)) return false;
      if (linked.size < MAX_LINKED) linked.add(stats.ino);
    }
    bytes += stats.blocks * BLOCK_BYTES;
    inodes += 1;
    return stats.isDirectory();
  };
  count(root);
  for (let next = folders.pop(); next !== undefined; next = folders.pop()) {
    const entries = await opendir(next).catch(unlessGone);
    if (entries === undefined) continue;
    for await (const { name } of entries) {
      signal.throwIfAborted();
      const path = join(next, name);
      if (count(await lstat(path).catch(unlessGone))) folders.push(path);
    }
  }
  return { bytes, inodes };
}

/** What the file system at a path has and uses as a whole. */
export async function fileSystemStats(path: string): Promise<Required<VolumeStats>> {
  const { bsize, blocks, bfree, bavail, files, ffree } = await statfs(path);
  return {
    capacityBytes: blocks * bsize,
    availableBytes: bavail * bsize,
    usedBytes: (blocks - bfree) * bsize,
    inodes: files,
    inodesFree: ffree,
    inodesUsed: files - ffree,
  };
}

/** What a folder uses of its file system. */
export async function folderStats(path: string, signal: AbortSignal): Promise<Required<VolumeStats>> {
  const [whole, { bytes, inodes }] = [await fileSystemStats(path), await diskUsage(path, signal)];
  return { ...whole, usedBytes: bytes, inodesUsed: inodes };
}

/** Files may be removed while they are counted. */
function unlessGone(error: unknown): undefined {
  if (errorCode(error) !== 'ENOENT') throw error;
}
