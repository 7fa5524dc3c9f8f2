import { statfs } from 'node:fs/promises';
import { join } from 'node:path';
import type { FilesystemFigures, TransferFigures } from '../../node/index.ts';
import { textOf } from '../machine/text-of.ts';

/** Kinds of file systems with a size of their own. Those of the network are left out: a server that is away would hold the figures up. */
const KINDS =
  /^(?:ext\d|xfs|btrfs|squashfs|f2fs|jfs|reiserfs|hfs|hfsplus|ntfs|vfat|fat|msdos|exfat|udf|iso9660|overlay|tmpfs)$/;
const MS_PER_SECOND = 1000;
/** More than any machine should have; further ones are left out. */
const MAX_FILESYSTEMS = 1000;

/** A file system, and where it is mounted. */
export interface MountedFilesystem {
  readonly device: string;
  /** Of the device, as `8:1`. */
  readonly number: string;
  readonly mountPoint: string;
}

/** How full file systems are, each by one of its mounts, with what was read and written. */
export async function filesystemFigures(
  root: string,
  mounted: readonly MountedFilesystem[],
): Promise<readonly FilesystemFigures[]> {
  const disks = await textOf(join(root, 'proc/diskstats'));
  const activity = new Map(disks.split('\n').map((line) => activityOf(line.trim().split(/\s+/))));
  const found: FilesystemFigures[] = [];
  for (const { device, number, mountPoint } of mounted) {
    const size = await statfs(join(root, mountPoint)).catch(() => undefined); // hidden by another mount, or gone
    if (size === undefined) continue;
    found.push({
      device,
      capacityBytes: size.blocks * size.bsize,
      usedBytes: (size.blocks - size.bfree) * size.bsize,
      inodes: size.files,
      inodesFree: size.ffree,
      ...(activity.get(number) ?? NO_ACTIVITY),
    });
  }
  return found;
}

/** One for each device: file systems in memory are named for their mount point, layered ones have a number in their name. */
export async function mountedFilesystems(root: string): Promise<readonly MountedFilesystem[]> {
  const text = await textOf(join(root, 'proc/self/mountinfo'));
  const found = new Map<string, MountedFilesystem>();
  for (const line of text.split('\n')) {
    const [own = '', behind = ''] = line.split(' - ');
    const [, , number = '', , mounted = ''] = own.split(' ');
    const [kind = '', source = ''] = behind.split(' ');
    if (!KINDS.test(kind) || found.size >= MAX_FILESYSTEMS) continue;
    const mountPoint = unescaped(mounted);
    const device =
      kind === 'tmpfs' ? mountPoint : kind === 'overlay' ? `${source}_${number.replace(':', '-')}` : unescaped(source);
    if (!found.has(device)) found.set(device, { device, number, mountPoint });
  }
  return [...found.values()];
}

/** The kernel writes blanks and backslashes in paths as octal numbers. */
function unescaped(text: string): string {
  return text.replaceAll(/\\(\d{3})/g, (_, octal: string) => String.fromCodePoint(Number.parseInt(octal, 8)));
}

type Activity = Pick<FilesystemFigures, 'reads' | 'writes' | 'inProgress' | 'busySeconds' | 'weightedSeconds'>;

const NO_TRANSFER: TransferFigures = { completed: 0, merged: 0, sectors: 0, seconds: 0 };
const NO_ACTIVITY: Activity = {
  reads: NO_TRANSFER,
  writes: NO_TRANSFER,
  inProgress: 0,
  busySeconds: 0,
  weightedSeconds: 0,
};

/** A line of /proc/diskstats, by the number of its device. */
function activityOf([major = '', minor = '', , ...figures]: readonly string[]): [number: string, Activity] {
  const transfer = (from: number): TransferFigures => {
    const [completed = 0, merged = 0, sectors = 0, ms = 0] = figures.slice(from, from + 4).map(Number);
    return { completed, merged, sectors, seconds: ms / MS_PER_SECOND };
  };
  const [inProgress = 0, busyMs = 0, weightedMs = 0] = figures.slice(8).map(Number);
  return [
    `${major}:${minor}`,
    {
      reads: transfer(0),
      writes: transfer(4),
      inProgress,
      busySeconds: busyMs / MS_PER_SECOND,
      weightedSeconds: weightedMs / MS_PER_SECOND,
    },
  ];
}
