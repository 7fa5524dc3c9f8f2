import { GroupController } from '../../../csi/protocol/csi-v1.ts';
import { type ConformCase, expectThat } from '../../suite.ts';
import type { CsiWorld, SnapshotGroup } from '../csi-world.ts';
import { withController, withGroups } from './applies.ts';
import { requireDistinct, times } from './repeated-calls.ts';

const CREATE = 'CSI 1.13, CreateVolumeGroupSnapshot';
const GET = 'CSI 1.13, GetVolumeGroupSnapshot';
const DELETE = 'CSI 1.13, DeleteVolumeGroupSnapshot';
const UNKNOWN = 'keelson-conform-no-such-group';

export const groupCases: readonly ConformCase<CsiWorld>[] = [
  {
    name: 'group-again',
    title: 'CreateVolumeGroupSnapshot may be repeated, also at the same time',
    rule: 'A repeated call returns the group that is there; ABORTED while it is being taken.',
    source: CREATE,
    level: 'must',
    skip: withGroups,
    async run(world, signal) {
      const sources = await twoVolumes(world, signal);
      const before = await world.snapshotIds(signal);
      const name = world.newName();
      const request = { name, sourceVolumeIds: sources };
      const outcomes = await Promise.all(
        times(world.options.concurrency, () => world.try(GroupController.createVolumeGroupSnapshot, request, signal)),
      );
      for (const { response } of outcomes) if (response !== undefined) world.keepGroup(response.groupSnapshot);
      const { groupSnapshotId = '' } = await world.snapshotGroup(sources, signal, name);
      for (const { code, response } of outcomes) {
        expectThat(['OK', 'ABORTED'].includes(code), `one of them answers ${code}`);
        const other = response?.groupSnapshot?.groupSnapshotId ?? groupSnapshotId;
        expectThat(other === groupSnapshotId, `the group was "${other}", and is "${groupSnapshotId}"`);
      }
      await requireMoreSnapshots(world, { before, more: sources.length, signal });
    },
  },
  {
    name: 'group-members',
    title: 'a group has one snapshot of each volume, and each names the group',
    rule: 'snapshots are those of the source volumes; group_snapshot_id is the same in each; a group is ready when all of them are.',
    source: CREATE,
    level: 'must',
    skip: withGroups,
    async run(world, signal) {
      const sources = await twoVolumes(world, signal);
      const group = await world.snapshotGroup(sources, signal);
      const { groupSnapshotId = '', snapshots = [], readyToUse = false, creationTime } = group;
      requireDistinct(memberIds(group));
      const taken = snapshots.map(({ sourceVolumeId = '' }) => sourceVolumeId);
      expectThat(
        taken.toSorted().join() === sources.toSorted().join(),
        `the snapshots are of ${taken.join(', ')}, not of ${sources.join(', ')}`,
      );
      const stray = snapshots.find((each) => each.groupSnapshotId !== groupSnapshotId);
      expectThat(
        stray === undefined,
        `snapshot "${stray?.snapshotId ?? ''}" names the group "${stray?.groupSnapshotId ?? ''}", not "${groupSnapshotId}"`,
      );
      const areReady = snapshots.every((each) => each.readyToUse === true);
      expectThat(!readyToUse || areReady, 'the group is ready to use, and one of its snapshots is not');
      expectThat(creationTime !== undefined, 'there is no creation_time');
    },
  },
  {
    name: 'group-of-others',
    title: 'CreateVolumeGroupSnapshot of a name that is taken by other volumes answers ALREADY_EXISTS',
    rule: 'A group of the name with other source volumes is ALREADY_EXISTS.',
    source: CREATE,
    level: 'must',
    skip: withGroups,
    async run(world, signal) {
      const [one = '', other = ''] = await twoVolumes(world, signal);
      const name = world.newName();
      await world.snapshotGroup([one], signal, name);
      const request = { name, sourceVolumeIds: [other] };
      const outcome = await world.try(GroupController.createVolumeGroupSnapshot, request, signal);
      if (outcome.response !== undefined) world.keepGroup(outcome.response.groupSnapshot);
      expectThat(
        outcome.code === 'ALREADY_EXISTS',
        `CreateVolumeGroupSnapshot of another volume answers ${outcome.code}`,
      );
    },
  },
  {
    name: 'group-without-source',
    title: 'a group with a volume that does not exist is refused, and leaves no snapshot',
    rule: 'All snapshots of a group are taken, or none.',
    source: CREATE,
    level: 'must',
    skip: withGroups,
    async run(world, signal) {
      const [one = ''] = await twoVolumes(world, signal);
      const before = await world.snapshotIds(signal);
      const request = { name: world.newName(), sourceVolumeIds: [one, 'keelson-conform-no-such-volume'] };
      const outcome = await world.try(GroupController.createVolumeGroupSnapshot, request, signal);
      if (outcome.response !== undefined) world.keepGroup(outcome.response.groupSnapshot);
      expectThat(outcome.code !== 'OK', 'CreateVolumeGroupSnapshot with a volume that does not exist answers OK');
      await requireMoreSnapshots(world, { before, more: 0, signal });
    },
  },
  {
    name: 'group-get',
    title: 'GetVolumeGroupSnapshot shows what was created, and answers NOT_FOUND for what is not there',
    rule: 'The answer is the current state of the group; a group that does not exist is NOT_FOUND.',
    source: GET,
    level: 'must',
    skip: withGroups,
    async run(world, signal) {
      const group = await world.snapshotGroup(await twoVolumes(world, signal), signal);
      const { groupSnapshotId = '' } = group;
      const snapshotIds = memberIds(group);
      const request = { groupSnapshotId, snapshotIds };
      const shown = (await world.settle(GroupController.getVolumeGroupSnapshot, request, signal)).groupSnapshot;
      expectThat(
        shown?.groupSnapshotId === groupSnapshotId,
        `the group is "${shown?.groupSnapshotId ?? ''}", not "${groupSnapshotId}"`,
      );
      expectThat(
        memberIds(shown).toSorted().join() === snapshotIds.toSorted().join(),
        `its snapshots are ${memberIds(shown).join(', ')}, not ${snapshotIds.join(', ')}`,
      );
      await world.deleteGroup(groupSnapshotId, snapshotIds, signal);
      for (const id of [groupSnapshotId, UNKNOWN])
        await world.requireCode(
          GroupController.getVolumeGroupSnapshot,
          { groupSnapshotId: id, snapshotIds },
          { codes: ['NOT_FOUND'], when: 'of a group that is not there', signal },
        );
    },
  },
  {
    name: 'group-mismatch',
    title: 'calls with the snapshots of another group answer INVALID_ARGUMENT',
    rule: 'A mismatch of snapshot_ids is INVALID_ARGUMENT where the driver can tell.',
    source: DELETE,
    level: 'should',
    skip: withGroups,
    async run(world, signal) {
      const sources = await twoVolumes(world, signal);
      const [one, other] = [await world.snapshotGroup(sources, signal), await world.snapshotGroup(sources, signal)];
      const request = { groupSnapshotId: one.groupSnapshotId ?? '', snapshotIds: memberIds(other) };
      const expected = { codes: ['INVALID_ARGUMENT'], when: 'with the snapshots of another group', signal };
      await world.requireCode(GroupController.getVolumeGroupSnapshot, request, expected);
      await world.requireCode(GroupController.deleteVolumeGroupSnapshot, request, expected);
    },
  },
  {
    name: 'group-delete-again',
    title: 'DeleteVolumeGroupSnapshot deletes the snapshots, may be repeated, and succeeds for what never was',
    rule: 'The group and its snapshots are gone; a group that does not exist is deleted: OK.',
    source: DELETE,
    level: 'must',
    skip: withGroups,
    async run(world, signal) {
      const before = await world.snapshotIds(signal);
      const group = await world.snapshotGroup(await twoVolumes(world, signal), signal);
      const { groupSnapshotId = '' } = group;
      const request = { groupSnapshotId, snapshotIds: memberIds(group) };
      const outcomes = await Promise.all(
        times(world.options.concurrency, () => world.try(GroupController.deleteVolumeGroupSnapshot, request, signal)),
      );
      for (const { code } of outcomes) expectThat(['OK', 'ABORTED'].includes(code), `one of them answers ${code}`);
      await world.deleteGroup(groupSnapshotId, request.snapshotIds, signal);
      for (const id of [groupSnapshotId, UNKNOWN]) {
        const again = { groupSnapshotId: id, snapshotIds: [] };
        const { code } = await world.try(GroupController.deleteVolumeGroupSnapshot, again, signal);
        expectThat(code === 'OK', `DeleteVolumeGroupSnapshot of what is not there answers ${code}`);
      }
      await requireMoreSnapshots(world, { before, more: 0, signal });
    },
  },
  {
    name: 'group-restore',
    title: 'a volume can begin as a copy of a snapshot of a group',
    rule: 'Any snapshot of a group may be the source of a volume.',
    source: CREATE,
    level: 'must',
    skip: (world) => withGroups(world) ?? withController('CREATE_DELETE_SNAPSHOT')(world),
    async run(world, signal) {
      const { snapshots = [] } = await world.snapshotGroup(await twoVolumes(world, signal), signal);
      for (const { snapshotId = '' } of snapshots) {
        const volumeContentSource = { snapshot: { snapshotId } };
        const restored = await world.create(signal, world.volumeRequest({ volumeContentSource }));
        const shown = restored.contentSource?.snapshot?.snapshotId;
        expectThat(shown === snapshotId, `content_source is "${shown ?? ''}", not "${snapshotId}"`);
      }
    },
  },
];

async function twoVolumes(world: CsiWorld, signal: AbortSignal): Promise<readonly string[]> {
  const made = [await world.create(signal), await world.create(signal)];
  return made.map(({ volumeId = '' }) => volumeId);
}

function memberIds(group: SnapshotGroup | undefined): readonly string[] {
  return (group?.snapshots ?? []).map(({ snapshotId = '' }) => snapshotId);
}

/** The driver must list this many snapshots more than before. */
async function requireMoreSnapshots(
  world: CsiWorld,
  {
    before,
    more,
    signal,
  }: { readonly before: readonly string[] | undefined; readonly more: number; readonly signal: AbortSignal },
): Promise<void> {
  const after = await world.snapshotIds(signal);
  if (before === undefined || after === undefined) return;
  const found = after.filter((id) => !before.includes(id)).length;
  expectThat(found === more, `there are ${found} new snapshots, not ${more}`);
}
