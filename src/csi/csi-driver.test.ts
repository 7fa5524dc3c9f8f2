import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import { CryptoRandom, discardLogger, RealClock } from '../base/index.ts';
import { Channel, type Method } from '../wire/grpc/index.ts';
import type { CsiController, CsiDriverDefinition } from './kit/driver-definition.ts';
import { csiDriver } from './kit/csi-driver.ts';
import { Controller, Identity, Node } from './protocol/csi-v1.ts';
import { folderRecords } from './records/folder-records.ts';
import { memoryRecords } from './records/records.ts';
import { listenCsi } from './server/csi-server.ts';

const folders: string[] = [];
afterEach(async () => {
  for (const folder of folders.splice(0)) await rm(folder, { recursive: true });
});

const CAPABILITY = { mount: { fsType: 'ext4' }, accessMode: { mode: 1 } };
const GIB = 1024 ** 3;

describe('csiDriver()', () => {
  test('answers a repeated CreateVolume with the same volume, and refuses another size under its name', async () => {
    const made: string[] = [];
    await using driver = await served({ controller: controllerOf({ create: async ({ id }) => void made.push(id) }) });
    const request = { name: 'a', capacityRange: { requiredBytes: GIB }, volumeCapabilities: [CAPABILITY] };

    const first = await driver.call(Controller.createVolume, request);
    const again = await driver.call(Controller.createVolume, request);

    expect(again).toEqual(first);
    expect(made).toEqual([first.volume?.volumeId]);
    await expect(
      driver.call(Controller.createVolume, { ...request, capacityRange: { requiredBytes: 2 * GIB } }),
    ).rejects.toMatchObject({ code: 'ALREADY_EXISTS', message: 'There is a volume "a" with 1073741824 bytes' });
  });

  test('cleans up after a creation that a crash has cut off, and creates the volume', async () => {
    const folder = await newFolder();
    const made: string[] = [];
    const broken = controllerOf({
      records: folderRecords(folder),
      create: async ({ id }) => {
        made.push(id);
        throw new Error('the process dies here');
      },
      delete: () => Promise.reject(new Error('and cannot clean up')),
    });
    const request = { name: 'a', volumeCapabilities: [CAPABILITY] };
    {
      await using driver = await served({ controller: broken });
      await expect(driver.call(Controller.createVolume, request)).rejects.toMatchObject({
        code: 'INTERNAL',
        message: 'the process dies here',
      });
    }
    const deleted: string[] = [];
    const mended = controllerOf({
      records: folderRecords(folder),
      create: async ({ id }) => void made.push(id),
      delete: async ({ id }) => void deleted.push(id),
    });
    await using driver = await served({ controller: mended });

    const { volume } = await driver.call(Controller.createVolume, request);

    expect(deleted).toEqual([made[0]]); // what the first process may have left
    expect(made.at(-1)).toBe(volume?.volumeId);
    expect((await driver.call(Controller.listVolumes, {})).entries).toHaveLength(1);
  });

  test('refuses a second operation on a volume while one is in progress', async () => {
    let finish: () => void = () => undefined;
    const begun = gate();
    const controller = controllerOf({
      delete: () => {
        begun.open();
        return new Promise<void>((resolve) => (finish = resolve));
      },
    });
    await using driver = await served({ controller });
    const { volume } = await driver.call(Controller.createVolume, { name: 'a', volumeCapabilities: [CAPABILITY] });
    const volumeId = volume?.volumeId ?? '';

    const first = driver.call(Controller.deleteVolume, { volumeId });
    await begun.opened;
    await expect(driver.call(Controller.deleteVolume, { volumeId })).rejects.toMatchObject({ code: 'ABORTED' });
    finish();
    await first;

    expect((await driver.call(Controller.listVolumes, {})).entries ?? []).toEqual([]);
  });

  test('keeps a volume from other calls while a function goes on that ignores that its caller has given up', async () => {
    const [begun, end] = [gate(), gate()];
    let sizes = 0;
    const controller = controllerOf({
      expand: async (_, { capacityBytes }) => {
        if (sizes++ > 0) return;
        begun.open();
        await end.opened;
        expect(capacityBytes).toBe(2 ** 31);
      },
    });
    await using driver = await served({ controller });
    const named = async (name: string): Promise<string> => {
      const { volume } = await driver.call(Controller.createVolume, { name, volumeCapabilities: [CAPABILITY] });
      return volume?.volumeId ?? '';
    };
    const [volumeId, other] = [await named('a'), await named('b')];
    const givenUp = new AbortController();
    const request = { volumeId, capacityRange: { requiredBytes: 2 ** 31 } };
    const first = driver.call(Controller.controllerExpandVolume, request, { signal: givenUp.signal });
    await begun.opened;
    givenUp.abort();
    await expect(first).rejects.toThrow();

    await expect
      .poll(async () => await driver.call(Controller.deleteVolume, { volumeId }).catch((error: unknown) => error))
      .toMatchObject({
        code: 'ABORTED',
        message: `An operation on "volume ${volumeId}" is still in progress, although its caller has given up`,
      });
    await driver.call(Controller.deleteVolume, { volumeId: other });
    end.open();

    await expect
      .poll(async () => await driver.call(Controller.controllerExpandVolume, request).catch((error: unknown) => error))
      .toMatchObject({ capacityBytes: 2 ** 31 });
    expect(sizes).toBe(1); // what was given up has been finished
    await driver.call(Controller.deleteVolume, { volumeId });
  });

  test('offers what its author has written, and nothing else', async () => {
    await using plain = await served({ controller: controllerOf({}) });
    const { capabilities = [] } = await plain.call(Controller.controllerGetCapabilities, {});
    expect(capabilities.map(({ rpc }) => rpc?.type)).toEqual([1, 3, 12, 13]); // volumes, lists, single volumes, their writers
    await expect(plain.call(Controller.createSnapshot, { name: 's', sourceVolumeId: 'v' })).rejects.toMatchObject({
      code: 'UNIMPLEMENTED',
    });
    await expect(plain.call(Node.nodeGetInfo, {})).rejects.toMatchObject({ code: 'UNIMPLEMENTED' });
    expect(await plain.call(Identity.getPluginInfo, {})).toMatchObject({ name: 'dir.example.com' });
  });

  test('pages through volumes, also when some are deleted in between', async () => {
    await using driver = await served({ controller: controllerOf({}) });
    const names = ['a', 'b', 'c', 'd', 'e'];
    for (const name of names) await driver.call(Controller.createVolume, { name, volumeCapabilities: [CAPABILITY] });

    const first = await driver.call(Controller.listVolumes, { maxEntries: 2 });
    const shown = first.entries?.map(({ volume }) => volume?.volumeId ?? '') ?? [];
    await driver.call(Controller.deleteVolume, { volumeId: shown[1] ?? '' });
    const rest = await driver.call(Controller.listVolumes, { startingToken: first.nextToken ?? '' });

    expect(rest.entries).toHaveLength(3);
    await expect(driver.call(Controller.listVolumes, { startingToken: 'mine' })).rejects.toMatchObject({
      code: 'ABORTED',
    });
  });

  test('is refused with half of a pair', () => {
    const controller = controllerOf({ attach: async () => undefined });
    expect(() => csiDriver({ name: 'dir.example.com', version: '1', controller })).toThrow(/cannot detach them/);
    expect(() => csiDriver({ name: '-', version: '1', controller })).toThrow(/Not a name/);
  });
});

function controllerOf(members: Partial<CsiController>): CsiController {
  return { records: memoryRecords(), create: async () => undefined, delete: async () => undefined, ...members };
}

async function newFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'csi-'));
  folders.push(folder);
  return folder;
}

async function served(parts: Pick<CsiDriverDefinition, 'controller' | 'node'>): Promise<{
  call<Request, Response>(
    method: Method<Request, Response>,
    request: Request,
    options?: { readonly signal: AbortSignal },
  ): Promise<Response>;
  [Symbol.asyncDispose](): Promise<void>;
}> {
  const listen = `unix://${join(await newFolder(), 'csi.sock')}`;
  const tools = { clock: new RealClock(), random: new CryptoRandom(), log: discardLogger };
  const server = await listenCsi({ name: 'dir.example.com', version: '1', ...parts }, { listen, ...tools });
  const channel = new Channel({ endpoints: [listen], ...tools });
  return {
    call: async (method, request, options) => channel.call(method, request, options),
    async [Symbol.asyncDispose]() {
      await channel[Symbol.asyncDispose]();
      await server[Symbol.asyncDispose]();
    },
  };
}

function gate(): { readonly opened: Promise<void>; open(): void } {
  let open: () => void = () => undefined;
  const opened = new Promise<void>((resolve) => (open = resolve));
  return { opened, open: () => open() };
}
