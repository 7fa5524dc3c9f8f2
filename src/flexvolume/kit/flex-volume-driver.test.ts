import { expect, test } from 'vitest';
import { flexVolumeDriver } from './flex-volume-driver.ts';

test('flexVolumeDriver() hands each command to its function, with the options read', async () => {
  const heard: unknown[] = [];
  const driver = flexVolumeDriver({
    name: 'example.com/disk',
    attach: (call) => {
      heard.push(call);
      return '/dev/a';
    },
    detach: (...call) => void heard.push(call),
    isAttached: () => true,
    waitForAttach: (device) => `${device}1`,
    mountDevice: (call) => void heard.push(call),
    unmountDevice: (folder) => void heard.push(folder),
    mount: (call) => void heard.push(call),
    unmount: (folder) => void heard.push(folder),
    expandFs: (call) => void heard.push(call),
  });
  const answerTo = async (...words: string[]): Promise<unknown> => JSON.parse((await driver.run(words)).stdout);
  const options =
    '{"kubernetes.io/fsType":"ext4","kubernetes.io/pvOrVolumeName":"pv","kubernetes.io/readwrite":"rw","a":"b"}';
  const read = {
    volume: 'pv',
    fsType: 'ext4',
    isReadOnly: false,
    parameters: { a: 'b' },
    secrets: {},
    pod: undefined,
    fsGroup: undefined,
  };

  expect(await answerTo('init')).toMatchObject({ capabilities: { attach: true, requiresFSResize: true } });
  expect(await answerTo('attach', options, 'n1')).toEqual({ status: 'Success', device: '/dev/a' });
  expect(await answerTo('isattached', options, 'n1')).toEqual({ status: 'Success', attached: true });
  expect(await answerTo('waitforattach', '/dev/a', options)).toEqual({ status: 'Success', device: '/dev/a1' });
  await answerTo('mountdevice', '/global', '/dev/a1', options);
  await answerTo('expandfs', options, '/dev/a1', '/global', '2048', '1024');
  await answerTo('detach', 'pv', 'n1');

  expect(heard).toEqual([
    { node: 'n1', options: read },
    { folder: '/global', device: '/dev/a1', options: read },
    { folder: '/global', device: '/dev/a1', options: read, newBytes: 2048, oldBytes: 1024 },
    ['pv', 'n1'],
  ]);
  expect(await answerTo('getvolumename', options)).toMatchObject({ status: 'Not supported' });
});

test('mount() knows the pod, its group and the decoded Secret', async () => {
  const heard: unknown[] = [];
  const driver = flexVolumeDriver({
    name: 'example.com/disk',
    mount: ({ options: { pod, fsGroup, secrets } }) => void heard.push({ pod, fsGroup, secrets }),
    unmount: () => undefined,
  });
  await driver.run([
    'mount',
    '/f',
    JSON.stringify({
      'kubernetes.io/pod.name': 'web',
      'kubernetes.io/pod.namespace': 'default',
      'kubernetes.io/pod.uid': 'u',
      'kubernetes.io/serviceAccount.name': 'robot',
      'kubernetes.io/mounterArgs.FsGroup': '2000',
      'kubernetes.io/secret/user': 'YWRh',
    }),
  ]);
  expect(heard).toEqual([
    {
      pod: { name: 'web', namespace: 'default', uid: 'u', serviceAccount: 'robot' },
      fsGroup: 2000,
      secrets: { user: 'ada' },
    },
  ]);
  expect(await driver.run(['mount', '/f', 'no json'])).toMatchObject({ code: 1 });
});

test('half of a pair, a bad name, and a driver that mounts nothing are refused', () => {
  const nothing = (): undefined => undefined;
  expect(() => flexVolumeDriver({ name: 'example.com/disk', mount: nothing })).toThrow('add unmount');
  expect(() => flexVolumeDriver({ name: 'example.com/disk', attach: () => '' })).toThrow('add detach');
  expect(() => flexVolumeDriver({ name: 'example.com/disk' })).toThrow('mounts nothing');
  expect(() => flexVolumeDriver({ name: 'a~b', mount: nothing, unmount: nothing })).toThrow('Not a name');
});
