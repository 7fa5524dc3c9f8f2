import { Controller } from '../../../csi/protocol/csi-v1.ts';
import { type ConformCase, expectThat } from '../../suite.ts';
import type { CsiWorld } from '../csi-world.ts';
import { withController } from './applies.ts';
import { requireDistinct, times } from './repeated-calls.ts';

const LIST = 'CSI 1.13, ListVolumes';
const GIB = 1024 ** 3;
const listed = withController('CREATE_DELETE_VOLUME', 'LIST_VOLUMES');

export const listAndExpandCases: readonly ConformCase<CsiWorld>[] = [
  {
    name: 'list-pages',
    title: 'pages have all volumes, each once, and no more than asked for',
    rule: 'max_entries is the most of a page; next_token leads to the rest and is empty at the end.',
    source: LIST,
    level: 'must',
    skip: listed,
    async run(world, signal) {
      const made = await Promise.all(times(5, () => world.create(signal)));
      const seen: string[] = [];
      let startingToken = '';
      do {
        const request = { maxEntries: 2, startingToken };
        const { entries = [], nextToken = '' } = await world.settle(Controller.listVolumes, request, signal);
        expectThat(entries.length <= 2, `a page of 2 has ${entries.length} volumes`);
        expectThat(nextToken === '' || nextToken !== startingToken, `the token "${nextToken}" leads to itself`);
        seen.push(...entries.map(({ volume }) => volume?.volumeId ?? ''));
        startingToken = nextToken;
      } while (startingToken !== '');
      requireDistinct(seen);
      const missing = made.filter(({ volumeId = '' }) => !seen.includes(volumeId));
      expectThat(missing.length === 0, `${missing.length} of ${made.length} volumes are on no page`);
    },
  },
  {
    name: 'list-deleted',
    title: 'a volume that is deleted between two pages takes no other with it',
    rule: 'Volumes that exist all the time are listed.',
    source: LIST,
    level: 'should',
    skip: listed,
    async run(world, signal) {
      const made = await Promise.all(times(5, () => world.create(signal)));
      const first = await world.settle(Controller.listVolumes, { maxEntries: 2 }, signal);
      const shown = (first.entries ?? []).map(({ volume }) => volume?.volumeId ?? '');
      const gone = made.map(({ volumeId = '' }) => volumeId).find((id) => shown.includes(id));
      if (gone === undefined || (first.nextToken ?? '') === '') return;
      await world.delete(gone, signal);
      const seen = [...shown];
      for (let token = first.nextToken ?? ''; token !== '';) {
        const { code, response } = await world.try(
          Controller.listVolumes,
          { startingToken: token, maxEntries: 2 },
          signal,
        );
        if (code === 'ABORTED') return; // the caller begins again
        expectThat(response !== undefined, `ListVolumes with its own token answers ${code}`);
        seen.push(...(response.entries ?? []).map(({ volume }) => volume?.volumeId ?? ''));
        token = response.nextToken ?? '';
      }
      const missing = made.filter(({ volumeId = '' }) => volumeId !== gone && !seen.includes(volumeId));
      expectThat(missing.length === 0, `${missing.length} volumes that exist are on no page`);
    },
  },
  {
    name: 'list-bad-request',
    title: 'a token that the driver has not given answers ABORTED, and a negative page INVALID_ARGUMENT',
    rule: 'An invalid starting_token is ABORTED; max_entries is not negative.',
    source: LIST,
    level: 'must',
    skip: listed,
    async run(world, signal) {
      const token = { startingToken: 'keelson-conform-no-such-token' };
      await world.requireCode(Controller.listVolumes, token, {
        codes: ['ABORTED'],
        when: 'with a made-up token',
        signal,
      });
      const codes = ['INVALID_ARGUMENT'];
      await world.requireCode(
        Controller.listVolumes,
        { maxEntries: -1 },
        { codes, when: 'with max_entries -1', signal },
      );
    },
  },
  {
    name: 'expand-again',
    title: 'ControllerExpandVolume may be repeated, never shrinks, and is remembered',
    rule: 'A volume that has the size answers OK with it.',
    source: 'CSI 1.13, ControllerExpandVolume',
    level: 'must',
    skip: withController('CREATE_DELETE_VOLUME', 'EXPAND_VOLUME'),
    async run(world, signal) {
      const { volumeId = '', capacityBytes = 0 } = await world.create(signal);
      const requiredBytes = (capacityBytes === 0 ? world.options.bytes : capacityBytes) + GIB;
      const request = { volumeId, capacityRange: { requiredBytes }, volumeCapability: world.capability };
      for (let round = 0; round < 3; round++) {
        const grown = (await world.settle(Controller.controllerExpandVolume, request, signal)).capacityBytes ?? 0;
        expectThat(grown >= requiredBytes, `${requiredBytes} bytes are asked for, and the answer is ${grown}`);
      }
      const smaller = { ...request, capacityRange: { requiredBytes: world.options.bytes } };
      const outcome = await world.try(Controller.controllerExpandVolume, smaller, signal);
      const kept = outcome.response?.capacityBytes ?? requiredBytes;
      expectThat(kept >= requiredBytes, `asked for less, the volume has ${kept} of ${requiredBytes} bytes`);
      if (!world.facts.controller.has('GET_VOLUME')) return;
      const { volume } = await world.settle(Controller.controllerGetVolume, { volumeId }, signal);
      const shown = volume?.capacityBytes ?? 0;
      expectThat(shown === 0 || shown >= requiredBytes, `ControllerGetVolume still shows ${shown} bytes`);
    },
  },
  {
    name: 'expand-concurrent',
    title: 'the same ControllerExpandVolume at the same time grows the volume once',
    rule: 'A call for a volume that is being changed answers ABORTED, or waits.',
    source: 'CSI 1.13, concurrency',
    level: 'must',
    skip: withController('CREATE_DELETE_VOLUME', 'EXPAND_VOLUME'),
    async run(world, signal) {
      const { volumeId = '' } = await world.create(signal);
      const request = { volumeId, capacityRange: { requiredBytes: world.options.bytes + GIB } };
      const outcomes = await Promise.all(
        times(world.options.concurrency, () => world.try(Controller.controllerExpandVolume, request, signal)),
      );
      for (const { code } of outcomes) expectThat(['OK', 'ABORTED'].includes(code), `one of them answers ${code}`);
      await world.settle(Controller.controllerExpandVolume, request, signal);
    },
  },
];
