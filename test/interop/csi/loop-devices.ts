import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';

/** Whether this process can mount. */
export const isRoot = process.platform === 'linux' && process.getuid?.() === 0;
/** Whether files can stand for disks here. */
export const hasLoopDevices =
  isRoot && existsSync('/dev/loop-control') && spawnSync('losetup', ['--find']).status === 0;

/** Makes block devices of files. */
export class LoopDevices {
  readonly #devices = new Map<string, string>();

  /** The device for a file that is used at a path; the same one when it is asked for again. */
  async of(file: string, usedAt: string): Promise<string> {
    const known = this.#devices.get(usedAt);
    if (known !== undefined) return known;
    const device = losetup('--find', '--show', file);
    this.#devices.set(usedAt, device);
    return device;
  }

  /** Gives the device of a path back, if there is one. */
  async free(usedAt: string): Promise<void> {
    const device = this.#devices.get(usedAt);
    if (device === undefined) return;
    losetup('--detach', device);
    this.#devices.delete(usedAt);
  }
}

function losetup(...args: readonly string[]): string {
  const { status, stdout, stderr } = spawnSync('losetup', args, { encoding: 'utf8' });
  if (status !== 0) throw new Error(`losetup ${args.join(' ')}: ${stderr}`);
  return stdout.trim();
}
