import { chmod, lstat, mkdir, open, readFile, stat, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import { amountsOf, podLimits } from '../../api/meaning/index.ts';
import type { Logger } from '../../base/index.ts';
import type { Observed, Pod } from '../../client/index.ts';
import { errorCode, type Mounts, tryRemoveFolder } from '../../system/index.ts';
import { hugePageOption } from './huge-pages.ts';
import { giveToGroup } from './ownership.ts';

const MODE = 0o777;

export interface EmptyFoldersParts {
  readonly mounts: Mounts;
  readonly log: Logger;
  /** The memory that pods of the node may use, in bytes. */
  allocatableMemory(): number;
}

export interface EmptyFolderOptions {
  readonly pod: Observed<Pod>;
  /** A folder for the note that the volume is ready, so that a restart of the agent changes nothing. */
  readonly notes: string;
  /** As in an emptyDir volume: empty for the disk, `Memory`, `HugePages`. */
  readonly medium: string;
  /** A quantity; default no limit. */
  readonly sizeLimit?: string | undefined;
}

/** Makes the folders of emptyDir volumes, and those that files from the API are written to: on disk, in memory or in huge pages. */
export class EmptyFolders {
  readonly #parts: EmptyFoldersParts;
  /** Whether the kernel can keep a file system in memory out of swap; undefined until it was tried. */
  #hasNoSwap: boolean | undefined;

  constructor(parts: EmptyFoldersParts) {
    this.#parts = parts;
  }

  /** Does nothing when the folder is ready: the pod may have changed its mode since. */
  async setUp(folder: string, options: EmptyFolderOptions): Promise<void> {
    const { pod, notes, medium, sizeLimit } = options;
    const isReady = await exists(join(notes, 'ready'));
    if (isReady && medium === '' && (await exists(folder))) return;
    if (isReady && medium === 'Memory' && (await this.#parts.mounts.isMountPoint(folder))) return;
    const type = fileSystemOf(medium);
    const isNew = await makeFolder(folder);
    const isMounted = !isNew && type !== undefined && (await this.#parts.mounts.at(folder))?.type === type;
    if (type === 'tmpfs' && !isMounted) await this.#mountMemory(folder, this.#memorySize(pod, sizeLimit));
    if (type === 'hugetlbfs' && !isMounted) await this.#mountHugePages(folder, options);
    await giveToGroup(folder, pod, { isReadOnly: false, log: this.#parts.log });
    await mkdir(notes, { recursive: true, mode: 0o750 });
    await (await open(join(notes, 'ready'), 'a', 0o644)).close();
  }

  /** Forgets that a volume was ready. */
  async forget(notes: string): Promise<void> {
    await unlink(join(notes, 'ready')).catch((error: unknown) => {
      if (errorCode(error) !== 'ENOENT') throw error;
    });
    await tryRemoveFolder(notes);
  }

  /** The least of what the node has for pods, the limit of the pod, and the limit of the volume. */
  #memorySize(pod: Observed<Pod>, sizeLimit: string | undefined): number {
    const limits = [
      podMemoryLimit(pod),
      amountsOf({ size: sizeLimit ?? '0' })
        .get('size')
        ?.value() ?? 0,
    ];
    return Math.min(this.#parts.allocatableMemory(), ...limits.filter((limit) => limit > 0));
  }

  async #mountMemory(folder: string, bytes: number): Promise<void> {
    const { mounts } = this.#parts;
    this.#hasNoSwap ??= !(await isInUserNamespace());
    const size = bytes > 0 ? [`size=${bytes}`] : [];
    if (this.#hasNoSwap) {
      try {
        return await mounts.mount('tmpfs', folder, { type: 'tmpfs', options: [...size, 'noswap'] });
      } catch {
        this.#hasNoSwap = false; // kernels before 6.4 do not know it
      }
    }
    await mounts.mount('tmpfs', folder, { type: 'tmpfs', options: size });
  }

  async #mountHugePages(folder: string, { pod, medium }: EmptyFolderOptions): Promise<void> {
    await this.#parts.mounts.mount('nodev', folder, { type: 'hugetlbfs', options: [hugePageOption(medium, pod)] });
  }
}

/** The file system that is mounted for a medium; undefined for the disk. */
function fileSystemOf(medium: string): 'tmpfs' | 'hugetlbfs' | undefined {
  if (medium === '') return undefined;
  if (medium === 'Memory') return 'tmpfs';
  if (medium === 'HugePages' || medium.startsWith('HugePages-')) return 'hugetlbfs';
  throw new Error(`unknown storage medium ${JSON.stringify(medium)}`);
}

/** A pod's memory is limited when the pod has a limit, or every container has one; 0 for no limit. */
function podMemoryLimit(pod: Observed<Pod>): number {
  const { containers = [], initContainers = [], resources } = pod.spec ?? {};
  const hasLimit = (texts: Readonly<Record<string, string>> | undefined): boolean =>
    (amountsOf(texts).get('memory')?.sign ?? 0) > 0;
  const isLimited =
    hasLimit(resources?.limits) || [...containers, ...initContainers].every((each) => hasLimit(each.resources?.limits));
  return isLimited ? (podLimits({ spec: pod.spec }).get('memory')?.value() ?? 0) : 0;
}

/** True when the folder was not there before. */
async function makeFolder(folder: string): Promise<boolean> {
  const isNew = (await mkdir(folder, { recursive: true, mode: MODE })) !== undefined;
  if (isNew || ((await lstat(folder)).mode & MODE) !== MODE) await chmod(folder, MODE); // the umask may have taken some bits
  return isNew;
}

async function exists(path: string): Promise<boolean> {
  return await stat(path).then(
    () => true,
    () => false,
  );
}

/** The first namespace of the machine has all user ids; others have a part of them. */
async function isInUserNamespace(): Promise<boolean> {
  const map = await readFile('/proc/self/uid_map', 'utf8').catch(() => '');
  return !/^\s*0\s+0\s+4294967295\s*$/.test(map);
}
