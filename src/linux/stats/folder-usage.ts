import { lstat, readdir } from 'node:fs/promises';
import { join } from 'node:path';

const BLOCK = 512;
/** Folders with more entries count as having this many: a pod must not keep the agent busy. */
const MAX_ENTRIES = 200_000;

/** Blocks and entries below a folder. */
export interface FolderUsage {
  readonly usedBytes: number;
  readonly inodesUsed: number;
}

/** Measures a folder: files with several names count once, and links are not followed. */
export async function folderUsage(folder: string): Promise<FolderUsage> {
  const seen = new Set<string>();
  let usedBytes = 0;
  const pending = [folder];
  for (let path = pending.pop(); path !== undefined && seen.size < MAX_ENTRIES; path = pending.pop()) {
    const found = await lstat(path).catch(() => undefined); // removed in the meantime
    if (found === undefined) continue;
    const key = `${found.dev} ${found.ino}`;
    if (seen.has(key)) continue;
    seen.add(key);
    usedBytes += found.blocks * BLOCK;
    if (!found.isDirectory()) continue;
    for (const name of await readdir(path).catch(() => [])) pending.push(join(path, name));
  }
  return { usedBytes, inodesUsed: seen.size };
}
