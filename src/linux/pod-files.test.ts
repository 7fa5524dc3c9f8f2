import { spawnSync } from 'node:child_process';
import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { skipWhen } from '../base/testing/requires.ts';
import { ContainerLogFiles } from './logs/container-log-files.ts';
import { VirtualClock } from '../base/index.ts';
import { Mounts, SmallShell } from '../system/index.ts';
import { DiskPodFiles } from './pod-files.ts';

let root: string;
let volume: string;
let files: DiskPodFiles;

beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'keelson-files-'));
  volume = join(root, 'volume');
  await mkdir(volume);
  const logs = new ContainerLogFiles(join(root, 'links'));
  files = new DiskPodFiles({
    folders: { root, podLogs: join(root, 'logs') },
    mounts: new Mounts(new SmallShell(new VirtualClock())),
    logs,
  });
});
afterEach(() => rm(root, { recursive: true, force: true }));

const read = async (name: string): Promise<string> =>
  String(await files.read(join(volume, name), 1024, { within: volume }));

describe('the files of pods', skipWhen(process.platform !== 'linux', 'needs Linux'), () => {
  test('a file of a volume is read through links within the volume, and not through others', async () => {
    await writeFile(join(root, 'secret'), 'no');
    await writeFile(join(volume, 'file'), 'yes');
    await symlink('file', join(volume, 'link'));
    await symlink('../secret', join(volume, 'out'));
    expect(await read('link')).toBe('yes');
    await expect(read('out')).rejects.toThrow('is not a file in');
    await expect(read('none')).rejects.toThrow('cannot be opened');
  });

  test('a pipe that a pod made is not waited for', async () => {
    expect(spawnSync('mkfifo', [join(volume, 'pipe')]).status).toBe(0);
    await expect(read('pipe')).rejects.toThrow('is not a file in');
    expect(await files.read(join(volume, 'pipe'), 1024)).toBeUndefined();
  });

  test('the folders of all pods are listed, also those of earlier runs', async () => {
    expect(await files.pods()).toEqual([]);
    await files.write(join(root, 'pods/one/etc-hosts'), async () => '');
    expect(await files.pods()).toEqual(['one']);
    await files.removePod('one');
    expect(await files.pods()).toEqual([]);
  });
});
