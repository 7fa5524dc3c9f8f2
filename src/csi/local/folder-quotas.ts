// Folders that hold no more than they may: by quotas of projects on ext4 and XFS, by quotas of subvolumes on btrfs.
import { execFile } from 'node:child_process';
import { access, mkdir, readFile, realpath, statfs } from 'node:fs/promises';
import { messageOf } from '../../base/index.ts';
import { errorCode, removeTree } from '../../system/index.ts';

/** Makes folders with a limit on what they hold. Each call may be repeated. */
export interface FolderQuotas {
  /** Makes an empty folder. */
  make(folder: string): Promise<void>;
  /** Lets an empty folder, or one that has a limit, hold at most this many bytes. The project is a number of its own. */
  limit(folder: string, place: { readonly project: number; readonly bytes: number }): Promise<void>;
  /** What a folder holds with that limit; 0 for one without a limit, or that is not there. */
  usedBytes(folder: string, limitBytes: number): Promise<number>;
  remove(folder: string): Promise<void>;
  /** Gives the project's number back, after its folder was removed. */
  forget(project: number): Promise<void>;
}

const LIMIT_MS = 30_000;
const KIB = 1024;
/** Options by which the kernel says that quotas of projects are on. */
const PROJECT_OPTIONS = ['prjquota', 'pquota'];

/** The quotas of the file system that a folder is on, or why it has none. */
export async function folderQuotas(folder: string): Promise<FolderQuotas | string> {
  const entry = fileSystemOf(await realpath(folder), await readFile('/proc/self/mountinfo', 'utf8'));
  if (entry === undefined) return `the file system of "${folder}" is not known`;
  const { point, type, options } = entry;
  if (type === 'btrfs') return await subvolumes(point);
  if (type !== 'ext4' && type !== 'xfs')
    return `"${folder}" is on ${type}, which has no such quotas: use ext4, xfs or btrfs`;
  if (!PROJECT_OPTIONS.some((name) => options.includes(name)))
    return `quotas of projects are off for ${type} at "${point}": ${howTo(type)}`;
  const missing = await missingPrograms(['chattr', 'setquota']);
  return missing ?? projects(point);
}

function howTo(type: 'ext4' | 'xfs'): string {
  return type === 'xfs'
    ? 'mount it with the option prjquota'
    : 'run tune2fs -O project,quota -Q prjquota on its device while it is unmounted, and mount it with the option prjquota';
}

/** Folders whose files belong to projects. */
function projects(point: string): FolderQuotas {
  const set = async (project: number, bytes: number): Promise<void> =>
    void (await run('setquota', ['-P', String(project), '0', String(Math.ceil(bytes / KIB)), '0', '0', point]));
  return {
    make: async (folder) => void (await mkdir(folder, { recursive: true })),
    async limit(folder, { project, bytes }) {
      await run('chattr', ['-p', String(project), '+P', folder]);
      await set(project, bytes);
    },
    async usedBytes(folder, limitBytes) {
      const figures = await statfs(folder).catch(ifThere);
      if (figures === undefined) return 0;
      const { blocks, bfree, bsize } = figures;
      // for a folder of a project, the kernel answers with the figures of the project; else these are those of the whole disk
      return blocks * bsize <= limitBytes + bsize ? (blocks - bfree) * bsize : 0;
    },
    remove: removeTree,
    forget: (project) => set(project, 0),
  };
}

/** Folders that are subvolumes. */
async function subvolumes(point: string): Promise<FolderQuotas | string> {
  const missing = await missingPrograms(['btrfs']);
  if (missing !== undefined) return missing;
  const isOn = await run('btrfs', ['qgroup', 'show', point]).then(
    () => true,
    () => false,
  );
  if (!isOn) return `quotas are off for btrfs at "${point}": run btrfs quota enable ${point}`;
  const isThere = async (folder: string): Promise<boolean> =>
    await access(folder).then(
      () => true,
      (error: unknown) => ifThere(error) !== undefined,
    );
  return {
    async make(folder) {
      if (!(await isThere(folder))) await run('btrfs', ['subvolume', 'create', folder]);
    },
    limit: async (folder, { bytes }) => void (await run('btrfs', ['qgroup', 'limit', String(bytes), folder])),
    async usedBytes(folder) {
      if (!(await isThere(folder))) return 0;
      const table = await run('btrfs', ['qgroup', 'show', '--raw', '-F', folder]);
      return Number(/^\d+\/\d+\s+(\d+)/m.exec(table)?.[1] ?? 0);
    },
    async remove(folder) {
      if (await isThere(folder)) await run('btrfs', ['subvolume', 'delete', folder]);
    },
    forget: async () => undefined, // the kernel forgets the group with its subvolume, or keeps it empty
  };
}

function ifThere(error: unknown): undefined {
  if (errorCode(error) !== 'ENOENT') throw error;
  return undefined;
}

interface FileSystem {
  readonly point: string;
  readonly type: string;
  readonly options: readonly string[];
}

/** The file system of a path, from the kernel's table of mounts. */
export function fileSystemOf(path: string, table: string): FileSystem | undefined {
  let found: FileSystem | undefined;
  for (const line of table.split('\n')) {
    const [mount = '', source = ''] = line.split(' - ');
    const [, , , , quoted = '', own = ''] = mount.split(' ');
    const [type = '', , common = ''] = source.split(' ');
    const point = quoted.replace(/\\(\d{3})/g, (_, octal: string) => String.fromCharCode(Number.parseInt(octal, 8)));
    const isAbove = path === point || path.startsWith(point.endsWith('/') ? point : `${point}/`);
    // the last line of the same length is the mount that is seen
    if (point !== '' && isAbove && point.length >= (found?.point.length ?? 0))
      found = { point, type, options: [...own.split(','), ...common.split(',')] };
  }
  return found;
}

/** Which of these programs the machine lacks, as a reason; undefined if it has all. */
async function missingPrograms(names: readonly string[]): Promise<string | undefined> {
  const folders = [...(process.env['PATH'] ?? '').split(':'), '/usr/sbin', '/sbin', '/usr/bin'];
  const isThere = async (name: string): Promise<boolean> => {
    for (const folder of folders)
      if (
        await access(`${folder}/${name}`).then(
          () => true,
          () => false,
        )
      )
        return true;
    return false;
  };
  const found = await Promise.all(names.map(isThere));
  const missing = names.filter((_, at) => found[at] === false);
  return missing.length === 0 ? undefined : `the machine lacks ${missing.join(' and ')}`;
}

/** Runs a program and returns what it prints. */
async function run(program: string, args: readonly string[]): Promise<string> {
  const env = { ...process.env, PATH: `${process.env['PATH'] ?? ''}:/usr/sbin:/sbin` };
  return await new Promise<string>((resolve, reject) => {
    execFile(program, [...args], { timeout: LIMIT_MS, env }, (error, output, stderr) => {
      if (error === null) return resolve(output);
      const words = stderr.trim() === '' ? messageOf(error) : stderr.trim();
      reject(new Error(`Cannot run "${program} ${args.join(' ')}": ${words}`, { cause: error }));
    });
  });
}
