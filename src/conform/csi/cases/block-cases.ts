import { constants } from 'node:fs';
import { lstat, open, readFile } from 'node:fs/promises';
import { Controller, Node } from '../../../csi/protocol/csi-v1.ts';
import { type ConformCase, expectThat } from '../../suite.ts';
import type { CsiWorld, Volume } from '../csi-world.ts';
import { withBlock, withController, withMounts } from './applies.ts';
import { publish, requireGone, staged } from './node-cases.ts';

const PUBLISH = 'CSI 1.13, NodePublishVolume';
const SECTOR_BYTES = 512;
const TEXT = 'keelson-conform';
const [MAJOR_BITS, MINOR_BITS] = [0xfff, 0xff];

export const blockCases: readonly ConformCase<CsiWorld>[] = [
  {
    name: 'block-confirmed',
    title: 'ValidateVolumeCapabilities confirms a block volume as one',
    rule: 'What a volume was created for is confirmed.',
    source: 'CSI 1.13, ValidateVolumeCapabilities',
    level: 'must',
    skip: withBlock(withController('CREATE_DELETE_VOLUME')),
    async run(world, signal) {
      const { volumeId = '', volumeContext } = await blockVolume(world, signal);
      const request = {
        volumeId,
        volumeContext: volumeContext ?? new Map<string, string>(),
        volumeCapabilities: [world.blockCapability],
        secrets: world.options.secrets,
      };
      const { confirmed, message = '' } = await world.settle(Controller.validateVolumeCapabilities, request, signal);
      expectThat(confirmed !== undefined, `it is not confirmed: ${JSON.stringify(message)}`);
      const isBlock = (confirmed.volumeCapabilities ?? []).some(({ block }) => block !== undefined);
      expectThat(isBlock, 'what is confirmed is not a block volume');
    },
  },
  {
    name: 'block-device',
    title: 'a block volume is published as a device of its size',
    rule: 'The driver places the block device at the target path.',
    source: PUBLISH,
    level: 'must',
    skip: withBlock(withMounts()),
    async run(world, signal) {
      const volume = await blockVolume(world, signal);
      const path = await publish(world, volume, signal);
      const bytes = await deviceBytes(path);
      expectThat(bytes !== undefined, 'there is no block device at the target path');
      const { capacityBytes = 0 } = volume;
      expectThat(bytes >= capacityBytes, `the device has ${bytes} bytes, and the volume ${capacityBytes}`);
    },
  },
  {
    name: 'block-again',
    title: 'a block volume may be published and unpublished repeatedly, and the path is removed',
    rule: 'A volume that is published at the path, or not any more, answers OK.',
    source: PUBLISH,
    level: 'must',
    skip: withBlock(withMounts()),
    async run(world, signal) {
      const volume = await blockVolume(world, signal);
      const { volumeId = '' } = volume;
      const request = await staged(world, volume, signal);
      const { targetPath = '' } = request;
      for (let round = 0; round < 3; round++) await world.settle(Node.nodePublishVolume, request, signal);
      const mounts = (await world.mounts.below(targetPath)).length;
      expectThat(mounts <= 1, `after three calls there are ${mounts} mounts at the target path`);
      for (let round = 0; round < 2; round++)
        await world.settle(Node.nodeUnpublishVolume, { volumeId, targetPath }, signal);
      await requireGone(world, targetPath);
    },
  },
  {
    name: 'block-keeps-data',
    title: 'what is written to a block volume is there when it is published again',
    rule: 'A volume keeps its data until it is deleted.',
    source: PUBLISH,
    level: 'must',
    skip: withBlock(withMounts()),
    async run(world, signal) {
      const volume = await blockVolume(world, signal);
      const { volumeId = '' } = volume;
      const first = await publish(world, volume, signal);
      expectThat((await deviceBytes(first)) !== undefined, 'there is no block device at the target path');
      await writeDevice(first, TEXT);
      await world.unpublish(volumeId, first, signal);
      await world.unstage(volumeId, signal);
      const text = await readDevice(await publish(world, volume, signal), TEXT.length);
      expectThat(text === TEXT, `the device has ${JSON.stringify(text)}`);
    },
  },
];

async function blockVolume(world: CsiWorld, signal: AbortSignal): Promise<Volume> {
  return await world.create(signal, world.volumeRequest({ volumeCapabilities: [world.blockCapability] }));
}

/** The size of a block device; undefined when there is none at the path. */
async function deviceBytes(path: string): Promise<number | undefined> {
  const found = await lstat(path).catch(() => undefined);
  if (found?.isBlockDevice() !== true) return undefined;
  const [major, minor] = [
    (found.rdev >> 8) & MAJOR_BITS,
    (found.rdev & MINOR_BITS) | ((found.rdev >> 12) & ~MINOR_BITS),
  ];
  return Number(await readFile(`/sys/dev/block/${major}:${minor}/size`, 'utf8')) * SECTOR_BYTES;
}

async function writeDevice(path: string, text: string): Promise<void> {
  await using device = await open(path, constants.O_WRONLY | constants.O_SYNC);
  await device.write(text, 0);
}

async function readDevice(path: string, length: number): Promise<string> {
  await using device = await open(path, 'r');
  const { buffer, bytesRead } = await device.read(Buffer.alloc(length), 0, length, 0);
  return buffer.toString('utf8', 0, bytesRead);
}
