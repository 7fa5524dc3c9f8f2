import { mkdir, mkdtemp, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { skipWhen } from '../../base/testing/requires.ts';
import { discardLogger, messageOf, RealClock } from '../../base/index.ts';
import type { Observed, PersistentVolume, Pod, Secret } from '../../client/index.ts';
import { type Volume, type VolumeSource, VolumeStepError } from '../../node/index.ts';
import { Mounts, SmallShell } from '../../system/index.ts';
import { RecordingDriver } from '../testing/recording-driver.ts';
import { DriverFolder } from './driver-folder.ts';
import { FlexVolumes } from './flex-volumes.ts';

const isRoot = process.getuid?.() === 0;
const NAME = 'example.com/disk';
const PLAIN = `init) echo '{"status": "Success", "capabilities": {"attach": false}}' ;;
mount|unmount) echo '{"status": "Success"}' ;;`;
/** With a device; mounts are file systems in memory. */
const ATTACHED = `init) echo '{"status": "Success"}' ;;
waitforattach) echo '{"status": "Success", "device": "/dev/made"}' ;;
mountdevice|mount) mount -t tmpfs tmpfs "$2" && echo '{"status": "Success"}' ;;
unmountdevice|unmount) umount "$2" && echo '{"status": "Success"}' ;;
expandfs) echo '{"status": "Success"}' ;;`;

let folder: string;
let root: string;
let drivers: string;
let driver: RecordingDriver;
let shell: SmallShell;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'keelson-flex-'));
  root = join(folder, 'kubelet');
  drivers = join(folder, 'drivers');
  driver = new RecordingDriver(drivers, NAME, folder);
  shell = new SmallShell(new RealClock());
});
afterEach(async () => {
  await new Mounts(shell).unmountBelow(folder);
  shell[Symbol.dispose]();
  await rm(folder, { recursive: true, force: true });
});

describe('a volume in the spec of a pod', () => {
  test('is mounted with the words of a kubelet, once, and unmounted', async () => {
    await driver.install(PLAIN);
    const plugin = opened();
    const source = inline({ fsType: 'ext4', options: { size: '<1>', 'kubernetes.io/fsType': 'mine' }, readOnly: true });

    const path = await plugin.mount(requestFor('u1', source));
    await plugin.mount(requestFor('u1', source));
    await plugin.unmount({ podUid: 'u1', volume: 'data' });

    expect(path).toBe(`${root}/pods/u1/volumes/example.com~disk/data`);
    expect(await driver.calls()).toEqual([
      ['init'],
      [
        'mount',
        path,
        '{"kubernetes.io/fsType":"mine","kubernetes.io/mounterArgs.FsGroup":"2000","kubernetes.io/pod.name":"web",' +
          '"kubernetes.io/pod.namespace":"default","kubernetes.io/pod.uid":"u1","kubernetes.io/pvOrVolumeName":"data",' +
          '"kubernetes.io/readwrite":"ro","kubernetes.io/serviceAccount.name":"robot","size":"\\u003c1\\u003e"}',
      ],
      ['unmount', path],
    ]);
    expect(await exists(path)).toBe(false);
  });

  test('has the data of its Secret in base64, if the Secret is of the type of the driver', async () => {
    await driver.install(PLAIN);
    const plugin = opened();
    const source = inline({ secretRef: { name: 'keys' } });

    await plugin.mount({ ...requestFor('u1', source), readSecret: secretOf(NAME) });
    const [, options = ''] = (await driver.calls('mount'))[0]?.slice(1) ?? [];
    expect(JSON.parse(options)).toMatchObject({ 'kubernetes.io/secret/user': 'YWRh' });

    await expect(plugin.mount({ ...requestFor('u2', source), readSecret: secretOf('Opaque') })).rejects.toThrow(
      `couldn't get secret default/keys err: cannot get secret of type ${NAME}`,
    );
    expect(await exists(`${root}/pods/u2/volumes/example.com~disk/data`)).toBe(false);
  });

  test('is not attached, and has no statistics, when the driver says so', async () => {
    await driver.install(PLAIN);
    const plugin = opened();
    expect(await plugin.attachedName(inline({}))).toBeUndefined();
    expect(await plugin.stats({ podUid: 'u1', volume: 'data', path: '/x/example.com~disk/data' })).toBeUndefined();
  });

  test('is refused in the words of a kubelet while there is no driver, and mounted when it comes', async () => {
    const plugin = opened();
    await expect(plugin.mount(requestFor('u1', inline({})))).rejects.toMatchObject({
      name: 'VolumeNotReady',
      message: expect.stringContaining(
        'failed to get Plugin from volumeSpec for volume "data" err=no volume plugin matched',
      ),
    });
    await driver.install(PLAIN);
    await plugin.mount(requestFor('u1', inline({})));
  });

  test('that cannot be mounted leaves no folder, and the reason of the driver', async () => {
    await driver.install(`init) echo '{"status": "Success", "capabilities": {"attach": false}}' ;;
mount) echo '{"status": "Failure", "message": "no space"}'; exit 1 ;;`);
    const plugin = opened();
    await expect(plugin.mount(requestFor('u1', inline({})))).rejects.toThrow(
      'mount command failed, status: Failure, reason: no space',
    );
    expect(await plugin.mounted()).toEqual([]);
  });

  test('is found again after a restart, and kept while its driver is gone', async () => {
    await driver.install(PLAIN);
    const path = await opened().mount(requestFor('u1', inline({})));
    await mkdir(join(root, 'pods/u1/volumes/kubernetes.io~secret/token'), { recursive: true });

    const again = opened();
    expect(await again.mounted()).toEqual([{ podUid: 'u1', volume: 'data', path }]);
    await rm(driver.folder, { recursive: true });
    await expect(again.unmount({ podUid: 'u1', volume: 'data' })).rejects.toThrow(
      `no volume plugin matched name: ${NAME}`,
    );
    await driver.install(PLAIN);
    await again.unmount({ podUid: 'u1', volume: 'data' });
    expect(await again.mounted()).toEqual([]);
  });
});

describe('a volume with a device', skipWhen(!isRoot, 'mounts need root'), () => {
  test('is mounted once on the node and once in each pod, and the device goes with the last pod', async () => {
    await driver.install(ATTACHED);
    const plugin = opened();
    const source = bound();
    expect(await plugin.attachedName(source)).toBe('example.com/disk/pv-1');

    const first = await plugin.mount({ ...requestFor('u1', source), devicePath: '/dev/given' });
    await plugin.mount({ ...requestFor('u2', source), devicePath: '/dev/given' });
    await plugin.unmount({ podUid: 'u1', volume: 'pv-1' });
    await plugin.unmount({ podUid: 'u2', volume: 'pv-1' });

    const options =
      '{"kubernetes.io/fsType":"xfs","kubernetes.io/pvOrVolumeName":"pv-1","kubernetes.io/readwrite":"rw","pool":"fast"}';
    const device = `${root}/plugins/kubernetes.io/flexvolume/example.com/disk/mounts/pv-1`;
    const calls = await driver.calls('waitforattach', 'mountdevice', 'mount', 'unmount', 'unmountdevice');
    expect(calls.map(([command, target, rest]) => [command, target, command === 'mount' ? '' : rest])).toEqual([
      ['waitforattach', '/dev/given', options],
      ['mountdevice', device, '/dev/made'],
      ['mount', first, ''],
      ['waitforattach', '/dev/given', options],
      ['mount', first.replace('u1', 'u2'), ''],
      ['unmount', first, undefined],
      ['unmount', first.replace('u1', 'u2'), undefined],
      ['unmountdevice', device, undefined],
    ]);
    expect(calls[1]?.[3]).toBe(options);
    expect(await exists(device)).toBe(false);
  });

  test('grows by the driver, with the sizes in bytes', async () => {
    await driver.install(ATTACHED);
    const plugin = opened();
    await plugin.mount({ ...requestFor('u1', bound()), devicePath: '/dev/given' });

    await plugin.grow(bound('2Gi'), 'u1', '1Gi');

    const [call = []] = await driver.calls('expandfs');
    const place = `${root}/pods/u1/volumes/example.com~disk/pv-1`;
    expect(call.slice(2)).toEqual(['/dev/made', place, '2147483648', '1073741824']);
  });

  test('of a driver that mounts nothing is bound from the device', async () => {
    await driver.install(`init) echo '{"status": "Success"}' ;;
mountdevice) mount -t tmpfs tmpfs "$2" && echo '{"status": "Success"}' ;;`);
    const plugin = opened();
    const path = await plugin.mount(requestFor('u1', bound()));
    const device = `${root}/plugins/kubernetes.io/flexvolume/example.com/disk/mounts/pv-1`;
    await writeFile(join(device, 'file'), '');
    expect(await readdir(path)).toEqual(['file']);

    await plugin.unmount({ podUid: 'u1', volume: 'pv-1' });

    expect(await new Mounts(shell).below(root)).toEqual([]);
    expect(await driver.calls('getvolumename')).toHaveLength(1); // not asked again for what it does not have
  });

  test('whose device cannot be mounted says at which step', async () => {
    await driver.install(`init) echo '{"status": "Success"}' ;;
mountdevice) echo 'mount: permission denied' >&2; exit 32 ;;`);
    const failure = await opened()
      .mount(requestFor('u1', bound()))
      .catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(VolumeStepError);
    expect(failure).toMatchObject({ step: 'MountVolume.MountDevice' });
    expect(messageOf(failure)).toBe("invalid character 'm' looking for beginning of value");
  });
});

function opened(): FlexVolumes {
  const tools = { clock: new RealClock(), log: discardLogger };
  return new FlexVolumes({
    root,
    mounts: new Mounts(shell),
    shell,
    log: discardLogger,
    drivers: new DriverFolder(drivers, tools),
    giveToGroup: async () => undefined,
    bindSubPath: ({ path }) => Promise.resolve(path),
    removeSubPaths: async () => undefined,
    fileSystemStats: () => Promise.reject(new Error('not measured here')),
  });
}

function inline(flexVolume: Partial<NonNullable<Volume['flexVolume']>>): VolumeSource {
  return { volume: { name: 'data', flexVolume: { driver: NAME, ...flexVolume } }, persistentVolume: undefined };
}

function bound(storage = '1Gi'): VolumeSource {
  const metadata = { name: 'pv-1', uid: 'p', resourceVersion: '1', creationTimestamp: '' };
  const flexVolume = { driver: NAME, fsType: 'xfs', options: { pool: 'fast' } };
  const spec = { capacity: { storage }, flexVolume };
  const persistentVolume: Observed<PersistentVolume> = { kind: 'PersistentVolume', apiVersion: 'v1', metadata, spec };
  return { volume: { name: 'data', persistentVolumeClaim: { claimName: 'claim' } }, persistentVolume };
}

function requestFor(uid: string, source: VolumeSource): Parameters<FlexVolumes['mount']>[0] {
  const metadata = { name: 'web', namespace: 'default', uid, resourceVersion: '1', creationTimestamp: '' };
  const spec = { serviceAccountName: 'robot', securityContext: { fsGroup: 2000 }, containers: [] };
  const pod: Observed<Pod> = { kind: 'Pod', apiVersion: 'v1', metadata, spec };
  return { ...source, pod, payload: undefined, signal: new AbortController().signal };
}

function secretOf(type: string): () => Promise<Observed<Secret>> {
  const metadata = { name: 'keys', namespace: 'default', uid: 's', resourceVersion: '1', creationTimestamp: '' };
  return () => Promise.resolve({ kind: 'Secret', apiVersion: 'v1', metadata, type, data: { user: 'YWRh' } });
}

async function exists(path: string): Promise<boolean> {
  return await stat(path).then(
    () => true,
    () => false,
  );
}
