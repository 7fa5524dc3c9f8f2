import { chmod, chown, lchown, lstat, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Observed, Pod } from '../../client/index.ts';

const SETGID = 0o2000;
const FILE_BITS = 0o660;
const READ_ONLY_FILE_BITS = 0o440;
const FOLDER_BITS = 0o110;
const PERMISSIONS = 0o7777;

/** Gives a volume to the pod's fsGroup: the group owns all files and may use them as their owner may. Does nothing without an fsGroup. */
export async function giveToGroup(folder: string, pod: Observed<Pod>, isReadOnly: boolean): Promise<void> {
  const { fsGroup, fsGroupChangePolicy } = pod.spec?.securityContext ?? {};
  if (fsGroup === undefined) return;
  if (fsGroupChangePolicy === 'OnRootMismatch' && (await isGiven(folder, fsGroup, isReadOnly))) return;
  await give(folder, fsGroup, isReadOnly);
}

async function isGiven(folder: string, group: number, isReadOnly: boolean): Promise<boolean> {
  const { gid, mode } = await lstat(folder);
  const wanted = (isReadOnly ? READ_ONLY_FILE_BITS : FILE_BITS) | FOLDER_BITS | SETGID;
  return gid === group && (mode & wanted) === wanted;
}

async function give(path: string, group: number, isReadOnly: boolean): Promise<void> {
  const { mode, uid } = await lstat(path);
  const isFolder = (mode & 0o170000) === 0o040000;
  const isLink = (mode & 0o170000) === 0o120000;
  if (isLink) return lchown(path, uid, group);
  if (isFolder) for (const name of await readdir(path)) await give(join(path, name), group, isReadOnly);
  await chown(path, uid, group);
  const bits = (isReadOnly ? READ_ONLY_FILE_BITS : FILE_BITS) | (isFolder ? FOLDER_BITS | SETGID : 0);
  await chmod(path, (mode & PERMISSIONS) | bits);
}
