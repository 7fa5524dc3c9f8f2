import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { CgroupFigures, CgroupMemoryFigures, CgroupSource, ReadCgroupOptions } from '../../node/index.ts';
import { foldersIn, MOUNTED_AT } from '../cgroups/cgroup-tree.ts';
import { textOf } from '../machine/text-of.ts';
import { cpuFigures } from './cgroup-cpu.ts';
import { diskFigures } from './cgroup-disks.ts';
import { memoryFigures } from './cgroup-memory.ts';
import type { ReadFigure } from './figure-texts.ts';
import { filesystemFigures, type MountedFilesystem, mountedFilesystems } from './filesystem-figures.ts';
import { interfaceFigures } from './interface-figures.ts';
import { pressureIn } from './machine-usage.ts';
import { processFigures, processesIn } from './process-figures.ts';

/** Where the kernel shows cgroups, and processes and devices: `/` but in tests. */
export interface CgroupFilesOptions {
  readonly root?: string;
  readonly version: 1 | 2;
  readonly processors: CgroupSource['processors'];
}

/** Reads what the kernel counts of cgroups, when it is asked to and at no other time. */
export class CgroupFiles implements CgroupSource {
  readonly processors: CgroupSource['processors'];
  readonly #root: string;
  readonly #version: 1 | 2;
  #filesystems: Promise<readonly MountedFilesystem[]> | undefined;

  constructor({ root = '/', version, processors }: CgroupFilesOptions) {
    this.processors = processors;
    this.#root = root;
    this.#version = version;
  }

  /** Notes which file systems the machine has. */
  async start(): Promise<void> {
    await this.#mounted();
  }

  children(path: string): Promise<readonly string[]> {
    return foldersIn(this.#folder('memory', path));
  }

  async read(path: string, { nowMs, network }: ReadCgroupOptions): Promise<CgroupFigures | undefined> {
    const createdAtMs = await this.#createdAtMs(path);
    if (createdAtMs === undefined) return undefined;
    const isWhole = path === '/';
    const [root, version] = [this.#root, this.#version];
    const read: ReadFigure = (controller, file) => textOf(join(this.#folder(controller, path), file));
    const pids = await processesIn(read);
    const [cpu, memory, processes, disks, pressure, interfaces, filesystems] = await Promise.all([
      cpuFigures(read, version),
      memoryFigures(read, version),
      processFigures(read, { root, pids, isWhole }),
      diskFigures(read, { root, version }),
      this.#pressure(path),
      network === 'none' ? undefined : interfaceFigures(root, network === 'machine' ? 1 : pids[0]),
      isWhole ? filesystemFigures(root, await this.#mounted()) : undefined,
    ]);
    return {
      atMs: nowMs,
      createdAtMs,
      ...(cpu === undefined ? {} : { cpu }),
      ...(memory === undefined ? {} : { memory: isWhole ? await this.#ofMachine(memory) : memory }),
      ...(processes === undefined ? {} : { processes }),
      ...(interfaces === undefined ? {} : { interfaces }),
      ...(filesystems === undefined ? {} : { filesystems }),
      disks,
      pressure,
    };
  }

  /** The file systems that were mounted when this was first asked: those of pods come and go. */
  #mounted(): Promise<readonly MountedFilesystem[]> {
    return (this.#filesystems ??= mountedFilesystems(this.#root));
  }

  /** The limits of all processes are what the machine has. */
  async #ofMachine(memory: CgroupMemoryFigures): Promise<CgroupMemoryFigures> {
    const text = await textOf(join(this.#root, 'proc/meminfo'));
    const bytes = (name: string): number =>
      Number(new RegExp(`^${name}: +(\\d+) kB$`, 'm').exec(text)?.[1] ?? 0) * 1024;
    return { ...memory, limit: bytes('MemTotal'), swapLimit: bytes('SwapTotal') };
  }

  async #pressure(path: string): Promise<NonNullable<CgroupFigures['pressure']>> {
    if (this.#version === 1) return {}; // it is not counted there, so a kubelet does not tell the machine's either
    const places = ['cpu', 'memory', 'io'].map((name) =>
      path === '/' ? join(this.#root, 'proc/pressure', name) : join(this.#folder('', path), `${name}.pressure`),
    );
    const [cpu, memory, io] = await Promise.all(places.map((place) => pressureIn(place)));
    return {
      ...(cpu === undefined ? {} : { cpu }),
      ...(memory === undefined ? {} : { memory }),
      ...(io === undefined ? {} : { io }),
    };
  }

  /** Files of a cgroup keep the time at which it was made; its folder changes with the cgroups below it. */
  async #createdAtMs(path: string): Promise<number | undefined> {
    const folder = this.#folder('memory', path);
    const found = await Promise.all(
      [folder, join(folder, 'cgroup.clone_children'), join(folder, 'cgroup.events')].map((each) =>
        stat(each).catch(() => undefined),
      ),
    );
    if (found[0] === undefined) return undefined;
    return Math.min(...found.flatMap((each) => (each === undefined ? [] : [each.mtimeMs])));
  }

  #folder(controller: string, path: string): string {
    const mounted = join(this.#root, MOUNTED_AT);
    return this.#version === 2 ? join(mounted, path) : join(mounted, controller, path);
  }
}
