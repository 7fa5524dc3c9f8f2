import { Buffer } from 'node:buffer';
import { posix } from 'node:path';
import type { Clock } from '../base/index.ts';
import { type ContainerIdentity, type LinuxContainerResources, POD_UID } from '../node/index.ts';
import { type ContainerSetup, type FileSource, mountsOf } from './container-setup.ts';
import type { SharedVolume } from './shared-volumes.ts';
import { FileTree, type MountedVolume } from './shell/index.ts';

export interface ContainerFilesParts {
  readonly clock: Clock;
  readonly setup: ContainerSetup;
  readonly identity: ContainerIdentity;
  /** The files of its mounts. */
  readonly content: FileSource;
  /** The volume at a path of the machine that containers share; undefined for volumes with content from the API. */
  readonly sharedVolume: (path: string) => SharedVolume | undefined;
  /** The content of its pod's resolv.conf; empty for none. */
  readonly resolver: () => string;
}

const MOUNT_AGAIN_MS = 60_000;
/** A file where mounts are folders. */
const HOSTS = '/etc/hosts';
const RESOLVER = '/etc/resolv.conf';
const DIRECTORIES = ['/bin', '/dev', '/etc', '/home', '/root', '/tmp', '/usr', '/var'];
/** Where cgroup v2 shows a container the processors and the NUMA nodes that it may use. */
const CGROUP = '/sys/fs/cgroup';

/** Lists of processors and of NUMA nodes; those that are absent are not restricted. */
export type ContainerPlaces = Pick<LinuxContainerResources, 'cpusetCpus' | 'cpusetMems'>;

/** The places of the mounts in the container, each with its path on the machine. */
export function containerMounts({ setup, content, identity }: ContainerFilesParts): ReturnType<typeof mountsOf> {
  return mountsOf(setup, content.root, identity.labels[POD_UID] ?? '');
}

export function workingDirectory(setup: ContainerSetup): string {
  return setup.workingDirectory === '' ? '/' : setup.workingDirectory;
}

/** The files of a container, which live as long as it does, and those of its volumes. */
export class ContainerFiles {
  readonly #parts: ContainerFilesParts;
  #tree: FileTree | undefined;
  #places: ContainerPlaces = {};
  /** When the files of its volumes were read. */
  #mountedAtMs: number | undefined;
  #mounting: Promise<void> | undefined;
  /** Files of subPath mounts, which do not follow the volume. */
  readonly #fixed = new Map<string, MountedVolume>();

  constructor(parts: ContainerFilesParts) {
    this.#parts = parts;
  }

  /** The files, if a command has looked at one. */
  get used(): FileTree | undefined {
    return this.#tree;
  }

  /** Made when a command first looks at a file. */
  get tree(): FileTree {
    if (this.#tree !== undefined) return this.#tree;
    const nowMs = this.#parts.clock.now();
    const mounts = containerMounts(this.#parts).filter(([path]) => path !== HOSTS);
    const tree = new FileTree(
      [...DIRECTORIES, workingDirectory(this.#parts.setup), ...mounts.map(([path]) => path)],
      nowMs,
    );
    for (const [path, onMachine] of mounts) {
      const shared = this.#parts.sharedVolume(onMachine);
      if (shared !== undefined) tree.attach(posix.resolve('/', path), shared.volume, { within: shared.within, nowMs });
    }
    const resolver = this.#parts.resolver();
    if (resolver !== '') tree.write(RESOLVER, Buffer.from(resolver), { nowMs });
    this.#tree = tree;
    this.#writePlaces();
    return tree;
  }

  /** Shows where the container may run. What is absent stays as it was. */
  setPlaces(places: ContainerPlaces): void {
    this.#places = { ...this.#places, ...places };
    this.#writePlaces();
  }

  #writePlaces(): void {
    const tree = this.#tree;
    if (tree === undefined) return;
    const { cpusetCpus, cpusetMems } = this.#places;
    const nowMs = this.#parts.clock.now();
    for (const [name, list] of [
      ['cpuset.cpus', cpusetCpus],
      ['cpuset.mems', cpusetMems],
    ] as const) {
      if (list === undefined) continue;
      tree.makeDirectories(CGROUP, nowMs);
      for (const file of [name, `${name}.effective`])
        tree.write(`${CGROUP}/${file}`, Buffer.from(`${list}\n`), { nowMs, mode: 0o444 });
    }
  }

  /** Reads the files of volumes, and again after the time in which a kubelet updates them. */
  async mount(): Promise<void> {
    if (this.#isMounted) return;
    this.#mounting ??= this.#readVolumes().finally(() => (this.#mounting = undefined));
    await this.#mounting;
  }

  /** Reads the files of volumes when one of the words may name one of them. */
  prepare(words: readonly string[], directory: string): Promise<void> | undefined {
    if (this.#parts.setup.mounts === '' || this.#isMounted) return undefined;
    const isNamed = containerMounts(this.#parts).some(([place, path]) => {
      if (this.#parts.sharedVolume(path) !== undefined) return false;
      return words.some(
        (word) => word.includes(place) || (/^[./]/.test(word) && place.startsWith(posix.resolve(directory, word))),
      );
    });
    return isNamed ? this.mount() : undefined;
  }

  get #isMounted(): boolean {
    const nowMs = this.#parts.clock.now();
    return this.#mountedAtMs !== undefined && nowMs - this.#mountedAtMs < MOUNT_AGAIN_MS;
  }

  async #readVolumes(): Promise<void> {
    const { clock, content } = this.#parts;
    const nowMs = clock.now();
    const found: MountedVolume[] = [];
    for (const [place, path] of containerMounts(this.#parts)) {
      const isRead = content.readsMachine || path.startsWith(content.root);
      const volume = isRead ? await content.content(path) : undefined;
      if (volume === undefined) continue;
      const files = volume.files.map((file) => ({
        ...file,
        path: file.path === '' ? place : posix.join(place, file.path),
      }));
      found.push({ path: posix.resolve('/', place), isFixed: volume.isFixed, files });
    }
    for (const each of found) if (each.isFixed && !this.#fixed.has(each.path)) this.#fixed.set(each.path, each);
    this.tree.mount(
      found.map((each) => this.#fixed.get(each.path) ?? each),
      nowMs,
    );
    this.#mountedAtMs = nowMs;
  }
}
