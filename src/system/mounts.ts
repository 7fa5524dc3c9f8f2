import { readFile, realpath } from 'node:fs/promises';
import { MountedError, removeTree } from './remove-tree.ts';
import type { SmallShell } from './small-shell.ts';

export interface MountOptions {
  /** The kind of file system, such as `tmpfs`; not given for bind mounts. */
  readonly type?: string;
  /** Such as `ro` and `size=1024`. */
  readonly options?: readonly string[];
}

/** A line of the kernel's table of mounts. */
export interface MountEntry {
  readonly point: string;
  /** Such as `tmpfs`. */
  readonly type: string;
}

/** Time that an unmount may take before it is forced: the server of a network file system may be gone. */
const UNMOUNT_MS = 60_000;

/** Mounts on this machine, made with the mount and umount programs. */
export class Mounts {
  readonly #shell: Pick<SmallShell, 'run'>;

  constructor(shell: Pick<SmallShell, 'run'>) {
    this.#shell = shell;
  }

  /** The mounts at or below a folder, in the order in which they were made. */
  async below(folder: string): Promise<readonly MountEntry[]> {
    const real = await realpath(folder).catch(() => folder); // the kernel names points without links
    return entriesBelow(real, await readFile('/proc/self/mountinfo', 'utf8'));
  }

  /** The mount that is seen at a path; undefined when the path is no mount point. */
  async at(path: string): Promise<MountEntry | undefined> {
    const real = await realpath(path).catch(() => path);
    return (await this.below(path)).findLast(({ point }) => point === real);
  }

  async isMountPoint(path: string): Promise<boolean> {
    return (await this.at(path)) !== undefined;
  }

  async mount(source: string, target: string, { type, options = [] }: MountOptions = {}): Promise<void> {
    const how = [
      ...(type === undefined ? [] : ['-t', type]),
      ...(options.length === 0 ? [] : ['-o', options.join(',')]),
    ];
    await this.#mount([...how, source, target]);
  }

  /** Makes a file or folder visible at another path. The kernel ignores options of a first bind mount, so they are applied by a second call. */
  async bind(source: string, target: string, options: readonly string[] = []): Promise<void> {
    await this.mount(source, target, { options: ['bind'] });
    if (options.length > 0) await this.mount(source, target, { options: ['bind', 'remount', ...options] });
  }

  /** Binds what a descriptor is open for. Whatever happens to its path in the meantime, this is what becomes visible. */
  async bindOpened(descriptor: number, target: string): Promise<void> {
    await this.#mount(['--no-canonicalize', '-o', 'bind', `/proc/${process.pid}/fd/${descriptor}`, target]);
  }

  /** Unmounts; by force when that does not end, because a server does not answer. */
  async unmount(target: string): Promise<void> {
    const { code, output } = await this.#shell.run('umount', ['--', target], { limitMs: UNMOUNT_MS });
    if (code === 0 || output.includes('not mounted')) return;
    const isGone = code === undefined || /stale file handle|host is down|not responding/i.test(output);
    const forced = isGone
      ? await this.#shell.run('umount', ['-f', '--', target], { limitMs: UNMOUNT_MS })
      : { code, output };
    if (forced.code === 0) return;
    throw new Error(
      `unmount failed: ${exitText(forced.code)}\nUnmounting arguments: ${target}\nOutput: ${forced.output}`,
    );
  }

  /** Unmounts everything at or below a folder, what was mounted last first. */
  async unmountBelow(folder: string): Promise<void> {
    if (!(await this.#unmountFound(folder))) return;
    const [left] = await this.below(folder);
    if (left !== undefined) throw new Error(`Cannot remove ${folder}: ${left.point} is still mounted`);
  }

  /** Unmounts everything at or below a folder and then removes the folder; never removes what is on another file system. */
  async removeFolder(folder: string): Promise<void> {
    try {
      await removeTree(folder);
    } catch (error) {
      if (!(error instanceof MountedError)) throw error;
      await this.#unmountFound(folder); // the table of mounts is long: it is read only where there is a mount
      await removeTree(folder);
    }
  }

  /** Unmounts what is in the kernel's table at or below a folder; false when there is nothing. */
  async #unmountFound(folder: string): Promise<boolean> {
    const found = await this.below(folder);
    for (const { point } of found.toReversed()) await this.unmount(point);
    return found.length > 0;
  }

  async #mount(args: readonly string[]): Promise<void> {
    const { code, output } = await this.#shell.run('mount', args);
    if (code === 0) return;
    const words = `Mounting command: mount\nMounting arguments: ${args.join(' ')}\nOutput: ${output}`;
    throw new Error(`mount failed: ${exitText(code)}\n${words}`);
  }
}

function exitText(code: number | undefined): string {
  return code === undefined ? 'signal: killed' : `exit status ${code}`;
}

/** The mounts at or below a folder in the kernel's table. Looks for the path before it reads lines: a node with many pods has thousands of them. */
export function entriesBelow(folder: string, table: string): readonly MountEntry[] {
  const found: MountEntry[] = [];
  const start = ` ${escaped(folder)}`;
  for (let at = table.indexOf(start); at !== -1;) {
    const end = table.indexOf('\n', at);
    const line = table.slice(table.lastIndexOf('\n', at) + 1, end === -1 ? undefined : end);
    const fields = line.split(' ');
    const point = unescaped(fields[4] ?? '');
    if (point === folder || point.startsWith(`${folder}/`))
      found.push({ point, type: fields[fields.indexOf('-') + 1] ?? '' });
    at = end === -1 ? -1 : table.indexOf(start, end);
  }
  return found;
}

/** The kernel writes spaces, tabs, newlines and backslashes in paths as octal numbers. */
function unescaped(path: string): string {
  return path.replaceAll(/\\([0-7]{3})/g, (_, octal: string) => String.fromCharCode(Number.parseInt(octal, 8)));
}

function escaped(path: string): string {
  return path.replaceAll(/[ \t\n\\]/g, (character) => `\\${character.charCodeAt(0).toString(8).padStart(3, '0')}`);
}
