import { Controller } from '../../../csi/protocol/csi-v1.ts';
import { type ConformCase, expectThat } from '../../suite.ts';
import type { CreateRequest, CsiWorld } from '../csi-world.ts';
import { withController } from './applies.ts';
import { cancelled, requireDistinct, requireMore, requireSame, times } from './repeated-calls.ts';

const CREATE = 'CSI 1.13, CreateVolume';
const DELETE = 'CSI 1.13, DeleteVolume';
const MAX_ID_BYTES = 128;
const MAX_NAME_BYTES = 128;
const GIB = 1024 ** 3;
const UNKNOWN_ID = 'keelson-conform-there-is-no-such-volume';
/** When a caller gives up: before, while and after the driver works. */
const CANCEL_AFTER_MS = [0, 1, 2, 5, 10, 25, 50];

const volumes = withController('CREATE_DELETE_VOLUME');

export const volumeCases: readonly ConformCase<CsiWorld>[] = [
  {
    name: 'create-again',
    title: 'CreateVolume may be repeated',
    rule: 'A repeated call with the same arguments returns the volume that is there.',
    source: CREATE,
    level: 'must',
    skip: volumes,
    async run(world, signal) {
      const before = await world.volumeIds(signal);
      const request = world.volumeRequest();
      const first = await world.create(signal, request);
      for (let round = 0; round < 3; round++) requireSame(first, await world.create(signal, request));
      await requireMore(world, { before, more: 1, signal });
    },
  },
  {
    name: 'create-concurrent',
    title: 'the same CreateVolume at the same time makes one volume',
    rule: 'A call for a volume that is being created answers ABORTED, or waits; all that succeed return the same volume.',
    source: CREATE,
    level: 'must',
    skip: volumes,
    async run(world, signal) {
      const before = await world.volumeIds(signal);
      const request = world.volumeRequest();
      const outcomes = await Promise.all(
        times(world.options.concurrency, () => world.try(Controller.createVolume, request, signal)),
      );
      for (const { response } of outcomes) if (response !== undefined) world.keep(response.volume);
      const kept = await world.create(signal, request);
      for (const outcome of outcomes) {
        if (outcome.response !== undefined) requireSame(kept, outcome.response.volume);
        else expectThat(outcome.code === 'ABORTED', `one of them answers ${outcome.code}: ${outcome.message}`);
      }
      await requireMore(world, { before, more: 1, signal });
    },
  },
  {
    name: 'create-many',
    title: 'volumes that are created at the same time are different ones',
    rule: 'Each name is a volume of its own.',
    source: CREATE,
    level: 'must',
    skip: volumes,
    async run(world, signal) {
      const before = await world.volumeIds(signal);
      const made = await Promise.all(times(world.options.concurrency, () => world.create(signal)));
      requireDistinct(made.map(({ volumeId = '' }) => volumeId));
      await requireMore(world, { before, more: made.length, signal });
    },
  },
  {
    name: 'create-cancelled',
    title: 'a CreateVolume that the caller gives up is finished by the next',
    rule: 'After a call that was cancelled the caller repeats it, and gets the one volume of this name.',
    source: 'CSI 1.13, timeouts and cancellation',
    level: 'must',
    skip: volumes,
    async run(world, signal) {
      const before = await world.volumeIds(signal);
      for (const afterMs of CANCEL_AFTER_MS) {
        const request = world.volumeRequest();
        await cancelled(world, afterMs, (giveUp) => world.try(Controller.createVolume, request, giveUp));
        const volume = await world.create(signal, request);
        requireSame(volume, await world.create(signal, request));
      }
      await requireMore(world, { before, more: CANCEL_AFTER_MS.length, signal });
    },
  },
  {
    name: 'create-differently',
    title: 'CreateVolume of a name that is taken by another size answers ALREADY_EXISTS',
    rule: 'A volume of the name that is not what is asked for is ALREADY_EXISTS.',
    source: CREATE,
    level: 'must',
    skip: volumes,
    async run(world, signal) {
      const request = world.volumeRequest();
      const { capacityBytes = 0 } = await world.create(signal, request);
      const requiredBytes = (capacityBytes === 0 ? world.options.bytes : capacityBytes) + GIB;
      const larger = { ...request, capacityRange: { requiredBytes } };
      const when = 'with a larger size';
      await world.requireCode(Controller.createVolume, larger, { codes: ['ALREADY_EXISTS'], when, signal });
    },
  },
  {
    name: 'create-id',
    title: 'volume ids are within the limits',
    rule: 'A string has 128 bytes at most; the context of a volume 4 KiB.',
    source: 'CSI 1.13, size limits',
    level: 'must',
    skip: volumes,
    async run(world, signal) {
      const { volumeId = '', volumeContext = new Map<string, string>() } = await world.create(signal);
      expectThat(bytesOf(volumeId) <= MAX_ID_BYTES, `the id has ${bytesOf(volumeId)} bytes: ${volumeId}`);
      const context = [...volumeContext].reduce((sum, [key, value]) => sum + bytesOf(key) + bytesOf(value), 0);
      expectThat(context <= 4096, `volume_context has ${context} bytes`);
    },
  },
  {
    name: 'odd-names',
    title: 'names may have any characters, and each is a volume of its own',
    rule: 'A name is any Unicode text of 128 bytes without control characters.',
    source: CREATE,
    level: 'must',
    skip: volumes,
    async run(world, signal) {
      const stem = world.newName();
      const odd = [
        ' ',
        '/',
        '//',
        '-',
        '_',
        '.',
        '..',
        '/../x',
        'A',
        'a',
        '%2F',
        "'",
        '"',
        '\\',
        '$x',
        '*',
        'ü',
        'u\u0308',
        '日本',
        '😀',
      ];
      const names = [...odd.map((part) => `${stem}${part}z`), stem.padEnd(MAX_NAME_BYTES, 'n')];
      const ids: string[] = [];
      for (const name of names) {
        const request = world.volumeRequest({ name });
        const { code, response, message = '' } = await world.try(Controller.createVolume, request, signal);
        expectThat(response !== undefined, `the name ${JSON.stringify(name)} is refused: ${code}: ${message}`);
        const { volumeId = '' } = world.keep(response.volume);
        const other = ids.indexOf(volumeId);
        expectThat(other === -1, `${JSON.stringify(name)} and ${JSON.stringify(names[other])} are the same volume`);
        ids.push(volumeId);
      }
    },
  },
  {
    name: 'size-range',
    title: 'volumes have at least the size that is required, and at most the limit',
    rule: 'capacity_bytes is within capacity_range, or the call answers OUT_OF_RANGE.',
    source: 'CSI 1.13, CapacityRange',
    level: 'must',
    skip: volumes,
    async run(world, signal) {
      const { bytes } = world.options;
      const ranges = [
        { requiredBytes: bytes + 1 },
        { requiredBytes: bytes, limitBytes: bytes },
        { requiredBytes: bytes + 1, limitBytes: bytes + 4 * 1024 ** 2 },
        { limitBytes: bytes },
        undefined,
      ];
      for (const capacityRange of ranges) await requireRange(world, capacityRange, signal);
    },
  },
  {
    name: 'size-impossible',
    title: 'a range that no size is in is refused',
    rule: 'A required size above the limit, and a negative one, are OUT_OF_RANGE or INVALID_ARGUMENT.',
    source: 'CSI 1.13, CapacityRange',
    level: 'must',
    skip: volumes,
    async run(world, signal) {
      const codes = ['OUT_OF_RANGE', 'INVALID_ARGUMENT'];
      for (const capacityRange of [{ requiredBytes: 2 * GIB, limitBytes: GIB }, { requiredBytes: -1 }]) {
        const request = world.volumeRequest({ capacityRange });
        const outcome = await world.try(Controller.createVolume, request, signal);
        if (outcome.response !== undefined) world.keep(outcome.response.volume);
        const shown = JSON.stringify(capacityRange);
        expectThat(codes.includes(outcome.code), `CreateVolume with ${shown} answers ${outcome.code}`);
      }
    },
  },
  {
    name: 'delete-again',
    title: 'DeleteVolume may be repeated, also at the same time',
    rule: 'A volume that is gone is deleted: OK. ABORTED while another call works on it.',
    source: DELETE,
    level: 'must',
    skip: volumes,
    async run(world, signal) {
      const before = await world.volumeIds(signal);
      const { volumeId = '' } = await world.create(signal);
      const { secrets } = world.options;
      const outcomes = await Promise.all(
        times(world.options.concurrency, () => world.try(Controller.deleteVolume, { volumeId, secrets }, signal)),
      );
      for (const outcome of outcomes)
        expectThat(['OK', 'ABORTED'].includes(outcome.code), `one of them answers ${outcome.code}`);
      await world.delete(volumeId, signal);
      await world.delete(volumeId, signal);
      await requireMore(world, { before, more: 0, signal });
    },
  },
  {
    name: 'delete-unknown',
    title: 'DeleteVolume of ids that never were succeeds, whatever they look like',
    rule: 'A volume that does not exist is deleted: OK.',
    source: DELETE,
    level: 'must',
    skip: volumes,
    async run(world, signal) {
      const { volumeId: kept = '' } = await world.create(signal);
      const odd = [
        UNKNOWN_ID,
        '../..',
        '/',
        '.',
        '*',
        ' ',
        `${kept}x`,
        kept.slice(0, -1),
        '日本',
        'x'.repeat(MAX_ID_BYTES),
      ];
      for (const volumeId of odd) {
        const { code } = await world.try(Controller.deleteVolume, { volumeId, secrets: world.options.secrets }, signal);
        expectThat(code === 'OK', `DeleteVolume of ${JSON.stringify(volumeId)} answers ${code}`);
      }
      const ids = await world.volumeIds(signal);
      expectThat(ids === undefined || ids.includes(kept), 'another volume is gone');
    },
  },
  {
    name: 'delete-then-create',
    title: 'the name of a deleted volume may be used again',
    rule: 'CreateVolume after DeleteVolume makes a volume.',
    source: DELETE,
    level: 'must',
    skip: volumes,
    async run(world, signal) {
      const request = world.volumeRequest();
      for (let round = 0; round < 3; round++) {
        const { volumeId = '' } = await world.create(signal, request);
        await requireKnown(world, volumeId, signal);
        await world.delete(volumeId, signal);
      }
    },
  },
  {
    name: 'unknown-volume',
    title: 'calls about a volume that does not exist answer NOT_FOUND',
    rule: 'A volume that does not exist is NOT_FOUND.',
    source: 'CSI 1.13, error scheme',
    level: 'must',
    skip: volumes,
    async run(world, signal) {
      const { volumeId: gone = '' } = await world.create(signal);
      await world.delete(gone, signal);
      const { capability, facts, options } = world;
      for (const volumeId of [UNKNOWN_ID, gone]) {
        const expected = { codes: ['NOT_FOUND'], when: 'of a volume that does not exist', signal };
        const volumeCapabilities = [capability];
        await world.requireCode(Controller.validateVolumeCapabilities, { volumeId, volumeCapabilities }, expected);
        if (facts.controller.has('GET_VOLUME'))
          await world.requireCode(Controller.controllerGetVolume, { volumeId }, expected);
        const capacityRange = { requiredBytes: options.bytes * 2 };
        if (facts.controller.has('EXPAND_VOLUME'))
          await world.requireCode(Controller.controllerExpandVolume, { volumeId, capacityRange }, expected);
        if (facts.controller.has('CREATE_DELETE_SNAPSHOT'))
          await world.requireCode(
            Controller.createSnapshot,
            { name: world.newName(), sourceVolumeId: volumeId },
            expected,
          );
        const { nodeId } = facts;
        if (facts.controller.has('PUBLISH_UNPUBLISH_VOLUME') && nodeId !== '')
          await world.requireCode(
            Controller.controllerPublishVolume,
            { volumeId, nodeId, volumeCapability: capability },
            expected,
          );
      }
    },
  },
];

function bytesOf(text: string): number {
  return Buffer.byteLength(text);
}

async function requireKnown(world: CsiWorld, volumeId: string, signal: AbortSignal): Promise<void> {
  const request = { volumeId, volumeCapabilities: [world.capability] };
  const { code } = await world.try(Controller.validateVolumeCapabilities, request, signal);
  expectThat(code === 'OK', `ValidateVolumeCapabilities of a volume that was just created answers ${code}`);
}

async function requireRange(
  world: CsiWorld,
  capacityRange: CreateRequest['capacityRange'],
  signal: AbortSignal,
): Promise<void> {
  const { capacityRange: _, ...rest } = world.volumeRequest();
  const request = capacityRange === undefined ? rest : { ...rest, capacityRange };
  const outcome = await world.try(Controller.createVolume, request, signal);
  const shown = JSON.stringify(capacityRange ?? {});
  if (outcome.response === undefined) {
    expectThat(outcome.code === 'OUT_OF_RANGE', `a volume of ${shown} answers ${outcome.code}: ${outcome.message}`);
    return;
  }
  const { capacityBytes = 0 } = world.keep(outcome.response.volume);
  if (capacityBytes === 0) return; // the driver does not say
  const { requiredBytes = 0, limitBytes = Infinity } = capacityRange ?? {};
  expectThat(
    capacityBytes >= requiredBytes && capacityBytes <= limitBytes,
    `a volume of ${shown} has ${capacityBytes}`,
  );
}
