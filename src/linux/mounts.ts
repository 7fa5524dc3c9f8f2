import { execFile } from 'node:child_process';
import { readFile, rm } from 'node:fs/promises';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** Mounts on this machine, made with the mount and umount programs. */
export class Mounts {
  /** The mount points at or below a folder, the deepest first. */
  async below(folder: string): Promise<readonly string[]> {
    const text = await readFile('/proc/self/mountinfo', 'utf8');
    const points = text.split('\n').map((line) => unescaped(line.split(' ')[4] ?? ''));
    return points
      .filter((point) => point === folder || point.startsWith(`${folder}/`))
      .sort((left, right) => right.length - left.length);
  }

  async isMountPoint(path: string): Promise<boolean> {
    return (await this.below(path)).includes(path);
  }

  async mount(source: string, target: string, args: readonly string[]): Promise<void> {
    await this.#run('mount', [...args, '--', source, target]);
  }

  async bind(source: string, target: string): Promise<void> {
    await this.#run('mount', ['--bind', '--', source, target]);
  }

  async unmount(target: string): Promise<void> {
    await this.#run('umount', ['--', target]);
  }

  /** Unmounts everything at or below a folder and then removes the folder; never removes what is still mounted. */
  async removeFolder(folder: string): Promise<void> {
    for (const point of await this.below(folder)) await this.unmount(point);
    const left = await this.below(folder);
    if (left[0] !== undefined) throw new Error(`Cannot remove ${folder}: ${left[0]} is still mounted`);
    await rm(folder, { recursive: true, force: true });
  }

  async #run(command: string, args: readonly string[]): Promise<void> {
    try {
      await run(command, args);
    } catch (error) {
      const { stderr = '' } = error as { readonly stderr?: string };
      throw new Error(stderr.trim() === '' ? `${command} failed` : stderr.trim(), { cause: error });
    }
  }
}

/** The kernel writes spaces, tabs, newlines and backslashes in paths as octal numbers. */
function unescaped(path: string): string {
  return path.replaceAll(/\\([0-7]{3})/g, (_, octal: string) => String.fromCharCode(Number.parseInt(octal, 8)));
}
