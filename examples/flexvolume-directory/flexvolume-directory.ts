import { execFile } from 'node:child_process';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { flexVolumeDriver } from 'keelson/flexvolume';

const run = promisify(execFile);

/** Volumes that are folders of the node, one for each namespace, below the folder that the volume names. */
export const directory = flexVolumeDriver({
  name: 'example.com/directory',

  async mount({ folder, options: { parameters, pod, isReadOnly, secrets } }) {
    const { base = '' } = parameters;
    if (!base.startsWith('/')) throw new Error(`base must be a path of the node, got ${JSON.stringify(base)}`);
    if (parameters['guarded'] === 'true' && secrets['word'] === undefined)
      throw new Error('a guarded directory needs a Secret with a word');
    const source = join(base, pod?.namespace ?? 'default');
    await mkdir(source, { recursive: true });
    await run('mount', ['--bind', source, folder]);
    if (isReadOnly) await run('mount', ['-o', 'remount,bind,ro', folder]);
  },

  async unmount(folder) {
    await run('umount', [folder]).catch((error: Error) => {
      if (!error.message.includes('not mounted')) throw error; // it was called before
    });
  },

  hasMetrics: true,
});
