import { Controller } from '../../../csi/protocol/csi-v1.ts';
import { type ConformCase, expectThat } from '../../suite.ts';
import type { CsiWorld } from '../csi-world.ts';
import { withController } from './applies.ts';
import { cancelled, requireDistinct, times } from './repeated-calls.ts';

const CREATE = 'CSI 1.13, CreateSnapshot';
const LIST = 'CSI 1.13, ListSnapshots';
const CANCEL_AFTER_MS = [0, 1, 5, 25];
const snapshots = withController('CREATE_DELETE_VOLUME', 'CREATE_DELETE_SNAPSHOT');
const listed = withController('CREATE_DELETE_VOLUME', 'CREATE_DELETE_SNAPSHOT', 'LIST_SNAPSHOTS');

export const snapshotCases: readonly ConformCase<CsiWorld>[] = [
  {
    name: 'snapshot-again',
    title: 'CreateSnapshot may be repeated, also at the same time and after it was given up',
    rule: 'A repeated call returns the snapshot that is there; ABORTED while it is being taken.',
    source: CREATE,
    level: 'must',
    skip: snapshots,
    async run(world, signal) {
      const before = await world.snapshotIds(signal);
      const { volumeId: sourceVolumeId = '' } = await world.create(signal);
      const name = world.newName();
      const request = { name, sourceVolumeId };
      const outcomes = await Promise.all(
        times(world.options.concurrency, () => world.try(Controller.createSnapshot, request, signal)),
      );
      for (const { response } of outcomes) if (response !== undefined) world.keepSnapshot(response.snapshot);
      const { snapshotId } = await world.snapshot(sourceVolumeId, signal, name);
      for (const { code, response } of outcomes) {
        expectThat(['OK', 'ABORTED'].includes(code), `one of them answers ${code}`);
        const other = response?.snapshot?.snapshotId ?? snapshotId;
        expectThat(other === snapshotId, `the snapshot was "${other}", and is "${snapshotId ?? ''}"`);
      }
      for (const afterMs of CANCEL_AFTER_MS) {
        const next = { name: world.newName(), sourceVolumeId };
        await cancelled(world, afterMs, (giveUp) => world.try(Controller.createSnapshot, next, giveUp));
        await world.snapshot(sourceVolumeId, signal, next.name);
      }
      const after = await world.snapshotIds(signal);
      if (before === undefined || after === undefined) return;
      const more = after.filter((id) => !before.includes(id)).length;
      const wanted = 1 + CANCEL_AFTER_MS.length;
      expectThat(more === wanted, `there are ${more} new snapshots, not ${wanted}`);
    },
  },
  {
    name: 'snapshot-of-another',
    title: 'CreateSnapshot of a name that is taken by another volume answers ALREADY_EXISTS',
    rule: 'A snapshot of the name from another volume is ALREADY_EXISTS.',
    source: CREATE,
    level: 'must',
    skip: snapshots,
    async run(world, signal) {
      const [one, other] = [await world.create(signal), await world.create(signal)];
      const name = world.newName();
      await world.snapshot(one.volumeId ?? '', signal, name);
      const request = { name, sourceVolumeId: other.volumeId ?? '' };
      const outcome = await world.try(Controller.createSnapshot, request, signal);
      if (outcome.response !== undefined) world.keepSnapshot(outcome.response.snapshot);
      expectThat(outcome.code === 'ALREADY_EXISTS', `CreateSnapshot from another volume answers ${outcome.code}`);
    },
  },
  {
    name: 'snapshot-delete-again',
    title: 'DeleteSnapshot may be repeated, and succeeds for ids that never were',
    rule: 'A snapshot that does not exist is deleted: OK.',
    source: 'CSI 1.13, DeleteSnapshot',
    level: 'must',
    skip: snapshots,
    async run(world, signal) {
      const { volumeId = '' } = await world.create(signal);
      const { snapshotId = '' } = await world.snapshot(volumeId, signal);
      const outcomes = await Promise.all(
        times(world.options.concurrency, () => world.try(Controller.deleteSnapshot, { snapshotId }, signal)),
      );
      for (const { code } of outcomes) expectThat(['OK', 'ABORTED'].includes(code), `one of them answers ${code}`);
      await world.deleteSnapshot(snapshotId, signal);
      for (const id of [snapshotId, 'keelson-conform-no-such-snapshot', '../..', '*']) {
        const { code } = await world.try(Controller.deleteSnapshot, { snapshotId: id }, signal);
        expectThat(code === 'OK', `DeleteSnapshot of ${JSON.stringify(id)} answers ${code}`);
      }
    },
  },
  {
    name: 'snapshot-restore',
    title: 'a volume from a snapshot says so, and one from a snapshot that is gone is refused',
    rule: 'content_source is returned as asked for; a source that does not exist is NOT_FOUND.',
    source: 'CSI 1.13, CreateVolume',
    level: 'must',
    skip: snapshots,
    async run(world, signal) {
      const { volumeId = '' } = await world.create(signal);
      const { snapshotId = '' } = await world.snapshot(volumeId, signal);
      const volumeContentSource = { snapshot: { snapshotId } };
      const restored = await world.create(signal, world.volumeRequest({ volumeContentSource }));
      const shown = restored.contentSource?.snapshot?.snapshotId;
      expectThat(shown === snapshotId, `content_source is "${shown ?? ''}", not "${snapshotId}"`);
      const missing = world.volumeRequest({
        volumeContentSource: { snapshot: { snapshotId: 'keelson-conform-none' } },
      });
      const outcome = await world.try(Controller.createVolume, missing, signal);
      if (outcome.response !== undefined) world.keep(outcome.response.volume);
      expectThat(
        outcome.code === 'NOT_FOUND',
        `CreateVolume from a snapshot that does not exist answers ${outcome.code}`,
      );
    },
  },
  {
    name: 'snapshot-pages',
    title: 'pages have all snapshots, each once',
    rule: 'max_entries is the most of a page; next_token leads to the rest and is empty at the end.',
    source: LIST,
    level: 'must',
    skip: listed,
    async run(world, signal) {
      const { volumeId = '' } = await world.create(signal);
      const made = await Promise.all(times(5, () => world.snapshot(volumeId, signal)));
      const seen: string[] = [];
      let startingToken = '';
      do {
        const request = { maxEntries: 2, startingToken };
        const { entries = [], nextToken = '' } = await world.settle(Controller.listSnapshots, request, signal);
        expectThat(entries.length <= 2, `a page of 2 has ${entries.length} snapshots`);
        expectThat(nextToken === '' || nextToken !== startingToken, `the token "${nextToken}" leads to itself`);
        seen.push(...entries.map(({ snapshot }) => snapshot?.snapshotId ?? ''));
        startingToken = nextToken;
      } while (startingToken !== '');
      requireDistinct(seen);
      const missing = made.filter(({ snapshotId = '' }) => !seen.includes(snapshotId));
      expectThat(missing.length === 0, `${missing.length} of ${made.length} snapshots are on no page`);
    },
  },
  {
    name: 'snapshot-filter',
    title: 'lists of one snapshot, or of those of a volume, have these alone',
    rule: 'snapshot_id and source_volume_id filter; what does not exist is an empty list.',
    source: LIST,
    level: 'must',
    skip: listed,
    async run(world, signal) {
      const [one, other] = [await world.create(signal), await world.create(signal)];
      const wanted = await world.snapshot(one.volumeId ?? '', signal);
      await world.snapshot(other.volumeId ?? '', signal);
      const idsOf = async (request: object): Promise<readonly string[]> => {
        const { entries = [] } = await world.settle(Controller.listSnapshots, request, signal);
        return entries.map(({ snapshot }) => snapshot?.snapshotId ?? '');
      };
      for (const filter of [{ snapshotId: wanted.snapshotId ?? '' }, { sourceVolumeId: one.volumeId ?? '' }]) {
        const ids = await idsOf(filter);
        const shown = JSON.stringify(filter);
        expectThat(
          ids.length === 1 && ids[0] === wanted.snapshotId,
          `the list of ${shown} has ${ids.length} snapshots`,
        );
      }
      for (const filter of [{ snapshotId: 'keelson-conform-none' }, { sourceVolumeId: 'keelson-conform-none' }])
        expectThat((await idsOf(filter)).length === 0, `the list of ${JSON.stringify(filter)} is not empty`);
    },
  },
];
