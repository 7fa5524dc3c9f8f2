import { readdirSync, statSync } from 'node:fs';
import { mkdtemp, readlink, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { skipWhen } from '../../base/testing/requires.ts';
import { DeviceLinks, deviceStats } from './device-links.ts';

const devices = process.platform === 'linux' ? readdirSync('/dev').map((name) => `/dev/${name}`) : [];
const device = devices.find((path) => statSync(path, { throwIfNoEntry: false })?.isBlockDevice() === true) ?? '';
const needsDevice = skipWhen(device === '', 'there is no block device');

let root: string;
let links: DeviceLinks;
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'keelson-devices-'));
  links = new DeviceLinks(root, 'kubernetes.io/local-volume');
});
afterEach(() => rm(root, { recursive: true }));

test(
  'the device of a volume is a link where a kubelet has it, found again after a restart, and removed',
  needsDevice,
  async () => {
    const path = await links.make({ podUid: 'u1', volume: 'disk', device });
    expect(path).toBe(join(root, 'pods/u1/volumeDevices/kubernetes.io~local-volume/disk'));
    expect(await readlink(path)).toBe(device);
    expect(await links.make({ podUid: 'u1', volume: 'disk', device })).toBe(path);
    const again = new DeviceLinks(root, 'kubernetes.io/local-volume');
    expect(await again.all()).toEqual([{ podUid: 'u1', volume: 'disk', path }]);
    expect((await deviceStats(path))?.capacityBytes).toBeGreaterThanOrEqual(0);
    await again.remove('u1', 'disk');
    expect(await again.all()).toEqual([]);
  },
);

test('what is not a block device is refused', async () => {
  const file = join(root, 'file');
  await writeFile(file, '');
  const made = (path: string): Promise<string> => links.make({ podUid: 'u1', volume: 'disk', device: path });
  await expect(made(file)).rejects.toThrow(`path "${file}" is not a block device`);
  await expect(made(`${file}2`)).rejects.toThrow(`path "${file}2" does not exist`);
  expect(await deviceStats(file)).toBeUndefined();
});
