import { spawnSync } from 'node:child_process';
import { mkdtemp, mkdir, readdir, readFile, rm, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { discardLogger, RealClock, SeededRandom } from '../../base/index.ts';
import { skipWhen } from '../../base/testing/requires.ts';
import { podOf } from '../../node/testing/pod-views.ts';
import type { MountRequest } from '../../node/index.ts';
import { Mounts, SmallShell } from '../../system/index.ts';
import { LocalVolumes } from './local-volumes.ts';
import { SubPaths } from './sub-paths.ts';

const { signal } = new AbortController();
const SIZE = 16 * 1024 * 1024;

/** A loop device on a new file; undefined where this user may not make one. */
function loopDevice(file: string): string | undefined {
  const { status, stdout } = spawnSync('losetup', ['--find', '--show', file], { encoding: 'utf8' });
  return status === 0 ? stdout.trim() : undefined;
}

async function whyNoDevices(): Promise<string | undefined> {
  if (process.getuid?.() !== 0) return 'devices are mounted by root only';
  if (spawnSync('mkfs.ext4', ['-V']).status !== 0) return 'mkfs.ext4 is not installed';
  const folder = await mkdtemp(join(tmpdir(), 'keelson-loop-'));
  try {
    await writeFile(join(folder, 'disk'), '');
    await truncate(join(folder, 'disk'), SIZE);
    const device = loopDevice(join(folder, 'disk'));
    if (device === undefined) return 'no loop device can be made';
    spawnSync('losetup', ['--detach', device]);
    return undefined;
  } finally {
    await rm(folder, { recursive: true });
  }
}

const reason = await whyNoDevices();

function requestOf(podUid: string, device: string): MountRequest {
  const persistentVolume = {
    kind: 'PersistentVolume' as const,
    apiVersion: 'v1' as const,
    metadata: { name: 'disk', uid: 'v', resourceVersion: '1', creationTimestamp: '' },
    spec: { local: { path: device, fsType: 'ext4' }, mountOptions: ['noatime'] },
  };
  const volume = { name: 'data', persistentVolumeClaim: { claimName: 'c' } };
  return { pod: podOf({ metadata: { uid: podUid } }), volume, persistentVolume, payload: undefined, signal };
}

describe('local volumes on devices', skipWhen(reason !== undefined, reason ?? ''), () => {
  test('are formatted once, mounted once for all pods, and unmounted with the last one', async () => {
    const root = await mkdtemp(join(tmpdir(), 'keelson-local-'));
    const clock = new RealClock();
    using shell = new SmallShell(clock);
    const mounts = new Mounts(shell);
    const log = discardLogger;
    const parts = { root, mounts, shell, clock, random: new SeededRandom(1), log, allocatableMemory: () => 0 };
    const plugin = new LocalVolumes({ ...parts, subPaths: new SubPaths(root, parts) });
    await writeFile(join(root, 'disk'), '');
    await truncate(join(root, 'disk'), SIZE);
    const device = loopDevice(join(root, 'disk')) ?? '';
    try {
      for (const uid of ['a', 'b']) await mkdir(join(root, 'pods', uid), { recursive: true });
      const [first, second] = await Promise.all([
        plugin.mount(requestOf('a', device)),
        plugin.mount(requestOf('b', device)),
      ]);
      await writeFile(join(first ?? '', 'x'), 'kept');
      expect(await readFile(join(second ?? '', 'x'), 'utf8')).toBe('kept');
      expect(await readFile('/proc/self/mountinfo', 'utf8')).toMatch(
        new RegExp(`${root}/plugins\\S+ rw,noatime.* ext4`),
      );
      await plugin.unmount({ podUid: 'a', volume: 'disk' });
      await plugin.releaseUnused();
      expect((await mounts.below(root)).map(({ point }) => point.slice(root.length))).toEqual([
        '/plugins/kubernetes.io/local-volume/mounts/disk',
        '/pods/b/volumes/kubernetes.io~local-volume/disk',
      ]);
      await plugin.unmount({ podUid: 'b', volume: 'disk' });
      await plugin.releaseUnused();
      expect(await mounts.below(root)).toEqual([]);
      expect(await readdir(join(root, 'plugins/kubernetes.io/local-volume/mounts'))).toEqual([]);
      expect(await readFile(join(await plugin.mount(requestOf('a', device)), 'x'), 'utf8')).toBe('kept');
    } finally {
      await mounts.unmountBelow(root);
      spawnSync('losetup', ['--detach', device]);
      await rm(root, { recursive: true });
    }
  });

  test('are refused where the path is a file', async () => {
    const root = await mkdtemp(join(tmpdir(), 'keelson-local-'));
    const clock = new RealClock();
    using shell = new SmallShell(clock);
    const parts = { root, mounts: new Mounts(shell), shell, clock, random: new SeededRandom(1), log: discardLogger };
    const plugin = new LocalVolumes({
      ...parts,
      allocatableMemory: () => 0,
      subPaths: new SubPaths(root, parts),
    });
    try {
      await writeFile(join(root, 'file'), '');
      await expect(plugin.mount(requestOf('a', join(root, 'file')))).rejects.toThrow(
        'only directory and block device are supported',
      );
    } finally {
      await rm(root, { recursive: true });
    }
  });
});
