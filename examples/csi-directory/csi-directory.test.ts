import { mkdir, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { bindMount, unbindMount } from 'keelson/csi';
import { expect, onTestFinished, test } from 'vitest';
import { directoryDriver } from './csi-directory.ts';

async function newFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'csi-directory-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  return folder;
}

test('the driver serves its socket until it is stopped', async () => {
  const folder = await newFolder();
  const stop = new AbortController();
  const socket = join(folder, 'csi.sock');
  const served = directoryDriver(folder, 'node-1').serve({ listen: `unix://${socket}` });
  const running = served.run(stop.signal);
  await served.listening();
  expect((await stat(socket)).isSocket()).toBe(true);

  stop.abort();
  await running;

  await expect(stat(socket)).rejects.toMatchObject({ code: 'ENOENT' });
});

test.skipIf(process.platform !== 'linux' || process.getuid?.() !== 0)(
  'a volume is visible where it is published, and its files stay when it no longer is (needs root)',
  async () => {
    const folder = await newFolder();
    const [volume, target] = [join(folder, 'volume'), join(folder, 'pod', 'volume')];
    await mkdir(volume);
    await bindMount(volume, target);
    await bindMount(volume, target); // called again after a failure
    await writeFile(join(target, 'kept'), 'yes');

    await unbindMount(target);
    await unbindMount(target);

    await expect(stat(target)).rejects.toMatchObject({ code: 'ENOENT' });
    expect(await readFile(join(volume, 'kept'), 'utf8')).toBe('yes');
  },
);
