import { mkdir, rm, rmdir, writeFile } from 'node:fs/promises';
import { RealClock } from '../../base/index.ts';
import { Mounts, SmallShell } from '../../system/index.ts';

export interface BindMountOptions {
  readonly isReadOnly?: boolean;
  /** Whether a file, such as a device, is bound and not a folder; default false. */
  readonly isFile?: boolean;
}

/**
 * Makes a folder, or a file, of this machine visible at another path, which is created. Does nothing where something is mounted already:
 * `publish` is called again after a failure. Needs root.
 */
export async function bindMount(source: string, target: string, options: BindMountOptions = {}): Promise<void> {
  using shell = new SmallShell(new RealClock());
  const mounts = new Mounts(shell);
  if (options.isFile === true) await writeFile(target, '', { flag: 'a' });
  else await mkdir(target, { recursive: true });
  if (await mounts.isMountPoint(target)) return;
  await mounts.bind(source, target, options.isReadOnly === true ? ['ro'] : []);
}

/** Undoes `bindMount`, and removes the path. Does nothing where nothing is. What was visible there is never removed. */
export async function unbindMount(target: string): Promise<void> {
  using shell = new SmallShell(new RealClock());
  const mounts = new Mounts(shell);
  while (await mounts.isMountPoint(target)) await mounts.unmount(target);
  try {
    await rmdir(target);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOTDIR') await rm(target, { force: true });
    else if (code !== 'ENOENT') throw error;
  }
}
