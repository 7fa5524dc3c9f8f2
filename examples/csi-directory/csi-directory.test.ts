import { mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { bindMount, csiDriversIn, unbindMount } from 'keelson/csi';
import { simulatedBackend } from 'keelson/node';
import { startCluster } from 'keelson/testing';
import { expect, onTestFinished, test, vi } from 'vitest';
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

test.skipIf(process.platform !== 'linux' || process.getuid?.() !== 0)(
  'a pod of a test cluster writes into a volume of the driver (needs root)',
  async () => {
    const folder = await newFolder();
    const nodes = join(folder, 'nodes');
    const nodeBackend = simulatedBackend({ volumeDrivers: csiDriversIn({ folder: nodes }) });
    await using cluster = await startCluster({ nodeBackend });
    const stop = new AbortController();
    const registerIn = join(nodes, 'keelson', 'plugins_registry');
    const running = directoryDriver(folder, 'keelson')
      .serve({ listen: `unix://${folder}/csi.sock`, registerIn })
      .run(stop.signal);
    const { core, storage } = cluster.client;
    const driver = 'directory.csi.example.com';
    await storage.v1.csidrivers.create({ metadata: { name: driver }, spec: { attachRequired: false } });
    await vi.waitFor(
      async () => {
        const { spec } = await storage.v1.csinodes.get('keelson');
        expect(spec.drivers).toMatchObject([{ name: driver }]);
      },
      { timeout: 120_000 },
    );
    await mkdir(join(folder, 'data', 'one'), { recursive: true });
    await core.v1.persistentvolumes.create({
      metadata: { name: 'v' },
      spec: {
        accessModes: ['ReadWriteOnce'],
        capacity: { storage: '1Gi' },
        storageClassName: '',
        csi: { driver, volumeHandle: 'one' },
      },
    });
    await core.v1.persistentvolumeclaims.namespace('default').create({
      metadata: { name: 'data' },
      spec: { accessModes: ['ReadWriteOnce'], storageClassName: '', resources: { requests: { storage: '1Gi' } } },
    });
    const pods = core.v1.pods.namespace('default');
    await pods.create({
      metadata: { name: 'writer' },
      spec: {
        containers: [
          {
            name: 'c',
            image: 'busybox',
            command: ['sh', '-c', 'echo yes > /data/kept; sleep 100000'],
            volumeMounts: [{ name: 'data', mountPath: '/data' }],
          },
        ],
        volumes: [{ name: 'data', persistentVolumeClaim: { claimName: 'data' } }],
      },
    });
    await vi.waitFor(
      async () => {
        await cluster.clock.advance('5s');
        expect(await readFile(join(folder, 'data', 'one', 'kept'), 'utf8')).toBe('yes\n');
      },
      { timeout: 120_000 },
    );
    await pods.delete('writer', { gracePeriodSeconds: 0 });
    await vi.waitFor(
      async () => {
        await cluster.clock.advance('5s');
        expect(await readdir(join(nodes, 'keelson', 'pods'))).toEqual([]);
      },
      { timeout: 120_000 },
    );
    stop.abort();
    await running;
  },
);
