import { mkdir, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { CryptoRandom, discardLogger, RealClock } from '../../base/index.ts';
import { skipWhen } from '../../base/testing/requires.ts';
import { type Observed, type PersistentVolume, type Pod } from '../../client/index.ts';
import { TestCluster } from '../../client/testing/test-cluster.ts';
import { bindMount, csiDriver, openCsiNode, unbindMount } from '../../csi/index.ts';
import { PluginWatcher } from '../../plugins/index.ts';
import { Mounts, SmallShell } from '../../system/index.ts';
import { driverMachine } from './driver-machine.ts';

const isRoot = process.platform === 'linux' && process.getuid?.() === 0;
const tools = { clock: new RealClock(), random: new CryptoRandom(), log: discardLogger };

test(
  'a driver mounts a volume for a pod, whose group gets its files, and takes it away with its data kept',
  skipWhen(!isRoot, 'mounts need root'),
  async () => {
    const folder = await mkdtemp(join(tmpdir(), 'driver-volumes-'));
    onTestFinished(() => rm(folder, { recursive: true }));
    const root = join(folder, 'kubelet');
    using shell = new SmallShell(tools.clock);
    const mounts = new Mounts(shell);
    await using cluster = await TestCluster.start({ clock: tools.clock });
    const client = cluster.client();
    await client.core.v1.nodes.create({ metadata: { name: 'n' } });
    await client.storage.v1.csidrivers.create({
      metadata: { name: 'dir.example.com' },
      spec: { attachRequired: false, fsGroupPolicy: 'File' },
    });
    const data = join(folder, 'data');
    await mkdir(data);
    await writeFile(join(data, 'file'), 'kept');
    const driver = csiDriver({
      name: 'dir.example.com',
      version: '1',
      node: {
        id: 'n',
        stage: (_, { stagingPath }) => bindMount(data, stagingPath),
        unstage: (_, { stagingPath }) => unbindMount(stagingPath),
        publish: (_, { stagingPath, targetPath, isReadOnly }) => bindMount(stagingPath, targetPath, { isReadOnly }),
        unpublish: (_, { targetPath }) => unbindMount(targetPath),
        stats: async () => [{ unit: 'BYTES', total: 100, used: 40, available: 60 }],
      },
    });
    const machine = driverMachine({ root, mounts, log: discardLogger });
    const context = { ...tools, client, changed: () => undefined };
    await using csi = await openCsiNode('n', context, { root, machine });
    const registry = join(root, 'plugins_registry');
    const watcher = new PluginWatcher({ ...tools, folder: registry, handlers: [csi.handler] });
    const stop = new AbortController();
    const running = [
      watcher.run(stop.signal),
      driver.serve({ listen: `unix://${folder}/csi.sock`, registerIn: registry }).run(stop.signal),
    ];
    try {
      await vi.waitFor(() => expect(watcher.plugins()).toHaveLength(1), { timeout: 120_000 });
      const persistentVolume = volumeOf('v');
      const pod = podOf(4321);
      const source = { volume: { name: 'files', persistentVolumeClaim: { claimName: 'c' } }, persistentVolume };
      const request = { ...source, pod, payload: undefined, signal: stop.signal };
      const path = await csi.plugin.mount(request);

      expect(path).toBe(join(root, 'pods/uid-1/volumes/kubernetes.io~csi/v/mount'));
      expect(await mounts.isMountPoint(path)).toBe(true);
      expect(await readFile(join(path, 'file'), 'utf8')).toBe('kept');
      expect((await stat(join(path, 'file'))).gid).toBe(4321);
      const part = { podUid: 'uid-1', volume: 'v', path, mountName: 'files', container: 'c', index: 0, subPath: 'sub' };
      expect(await mounts.isMountPoint((await csi.plugin.subPath?.(part)) ?? '')).toBe(true);

      expect(await csi.plugin.stats?.({ podUid: 'uid-1', volume: 'v', path }, stop.signal)).toEqual({
        capacityBytes: 100,
        availableBytes: 60,
        usedBytes: 40,
      });

      await csi.plugin.unmount({ podUid: 'uid-1', volume: 'v' });

      expect(await mounts.below(root)).toEqual([]);
      await expect(stat(join(path, '..'))).rejects.toMatchObject({ code: 'ENOENT' });
      expect(await readFile(join(data, 'file'), 'utf8')).toBe('kept');
    } finally {
      await mounts.unmountBelow(root);
      stop.abort();
      await Promise.all(running);
    }
  },
);

function volumeOf(name: string): Observed<PersistentVolume> {
  return {
    ...{ kind: 'PersistentVolume', apiVersion: 'v1' },
    metadata: { name, uid: 'v', resourceVersion: '1', creationTimestamp: '' },
    spec: { accessModes: ['ReadWriteOnce'], csi: { driver: 'dir.example.com', volumeHandle: 'one' } },
  };
}

function podOf(fsGroup: number): Observed<Pod> {
  const metadata = { name: 'web', namespace: 'default', uid: 'uid-1', resourceVersion: '1', creationTimestamp: '' };
  const containers = [{ name: 'c', image: 'busybox' }];
  return { kind: 'Pod', apiVersion: 'v1', metadata, spec: { containers, securityContext: { fsGroup } } };
}
