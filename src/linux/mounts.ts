import { spawn } from 'node:child_process';
import { readFile, realpath } from 'node:fs/promises';
import { removeTree } from './remove-tree.ts';

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
/** Most of what a mount program prints is kept for the message; the rest is dropped. */
const MAX_OUTPUT = 8192;

/** Mounts on this machine, made with the mount and umount programs. */
export class Mounts {
  /** The mounts at or below a folder, in the order in which they were made. */
  async below(folder: string): Promise<readonly MountEntry[]> {
    const real = await realpath(folder).catch(() => folder); // the kernel names points without links
    const lines = (await readFile('/proc/self/mountinfo', 'utf8')).split('\n');
    return lines.flatMap((line) => {
      const fields = line.split(' ');
      const point = unescaped(fields[4] ?? '');
      if (point !== real && !point.startsWith(`${real}/`)) return [];
      return [{ point, type: fields[fields.indexOf('-') + 1] ?? '' }];
    });
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
    await this.#mount([...how, source, target], []);
  }

  /** Makes a file or folder visible at another path. The kernel ignores options of a first bind mount, so they are applied by a second call. */
  async bind(source: string, target: string, options: readonly string[] = []): Promise<void> {
    await this.mount(source, target, { options: ['bind'] });
    if (options.length > 0) await this.mount(source, target, { options: ['bind', 'remount', ...options] });
  }

  /** Binds what a descriptor is open for. Whatever happens to its path in the meantime, this is what becomes visible. */
  async bindOpened(descriptor: number, target: string): Promise<void> {
    await this.#mount(['--no-canonicalize', '-o', 'bind', '/proc/self/fd/3', target], [descriptor]);
  }

  /** Unmounts; by force when that does not end, because a server does not answer. */
  async unmount(target: string): Promise<void> {
    const { code, output } = await run('umount', ['--', target], { limitMs: UNMOUNT_MS });
    if (code === 0 || output.includes('not mounted')) return;
    const isGone = code === undefined || /stale file handle|host is down|not responding/i.test(output);
    const forced = isGone ? await run('umount', ['-f', '--', target], { limitMs: UNMOUNT_MS }) : { code, output };
    if (forced.code === 0) return;
    throw new Error(
      `unmount failed: ${exitText(forced.code)}\nUnmounting arguments: ${target}\nOutput: ${forced.output}`,
    );
  }

  /** Unmounts everything at or below a folder, what was mounted last first. */
  async unmountBelow(folder: string): Promise<void> {
    for (const { point } of (await this.below(folder)).toReversed()) await this.unmount(point);
    const [left] = await this.below(folder);
    if (left !== undefined) throw new Error(`Cannot remove ${folder}: ${left.point} is still mounted`);
  }

  /** Unmounts everything at or below a folder and then removes the folder; never removes what is on another file system. */
  async removeFolder(folder: string): Promise<void> {
    await this.unmountBelow(folder);
    await removeTree(folder);
  }

  async #mount(args: readonly string[], descriptors: readonly number[]): Promise<void> {
    const { code, output } = await run('mount', args, { descriptors });
    if (code === 0) return;
    const words = `Mounting command: mount\nMounting arguments: ${args.join(' ')}\nOutput: ${output}`;
    throw new Error(`mount failed: ${exitText(code)}\n${words}`);
  }
}

interface Finished {
  /** Undefined when the program was killed, or could not be started. */
  readonly code: number | undefined;
  readonly output: string;
}

interface RunOptions {
  /** The program has them from number 3 on. */
  readonly descriptors?: readonly number[];
  readonly limitMs?: number;
}

function run(command: string, args: readonly string[], { descriptors = [], limitMs }: RunOptions): Promise<Finished> {
  return new Promise((resolve) => {
    const child = spawn(command, args, {
      stdio: ['ignore', 'pipe', 'pipe', ...descriptors],
      ...(limitMs === undefined ? {} : { timeout: limitMs, killSignal: 'SIGKILL' }),
    });
    let output = '';
    const add = (bytes: unknown): void => {
      if (output.length < MAX_OUTPUT) output += String(bytes);
    };
    child.stdout?.on('data', add);
    child.stderr?.on('data', add);
    child.on('error', (error) => resolve({ code: undefined, output: error.message }));
    child.on('close', (code) => resolve({ code: code ?? undefined, output }));
  });
}

function exitText(code: number | undefined): string {
  return code === undefined ? 'signal: killed' : `exit status ${code}`;
}

/** The kernel writes spaces, tabs, newlines and backslashes in paths as octal numbers. */
function unescaped(path: string): string {
  return path.replaceAll(/\\([0-7]{3})/g, (_, octal: string) => String.fromCharCode(Number.parseInt(octal, 8)));
}
