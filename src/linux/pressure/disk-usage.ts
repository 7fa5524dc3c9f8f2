import { lstat, opendir } from 'node:fs/promises';
import { join } from 'node:path';
import type { DiskUsage } from '../../node/index.ts';

const BLOCK_BYTES = 512;
/** Folders below each other beyond this are not followed. */
const MAX_DEPTH = 1000;

/** What a folder takes on its file system, with everything below it that is not mounted there. A file with several names counts once. */
export async function folderUsage(folder: string): Promise<DiskUsage> {
  const seen = new Set<number>();
  let bytes = 0;
  let device: number | undefined;
  const folders: { readonly path: string; readonly depth: number }[] = [];
  const count = async (path: string, depth: number): Promise<void> => {
    const found = await lstat(path).catch(() => undefined); // gone meanwhile
    if (found === undefined) return;
    device ??= found.dev;
    if (found.dev !== device || seen.has(found.ino)) return;
    seen.add(found.ino);
    bytes += found.blocks * BLOCK_BYTES;
    if (found.isDirectory() && depth < MAX_DEPTH) folders.push({ path, depth });
  };
  await count(folder, 0);
  for (let next = folders.pop(); next !== undefined; next = folders.pop()) {
    const entries = await opendir(next.path).catch(() => undefined);
    if (entries === undefined) continue;
    for await (const { name } of entries) await count(join(next.path, name), next.depth + 1);
  }
  return { bytes, inodes: seen.size };
}
