// The calls about snapshots of several volumes.
import { type Clock, randomUid } from '../../base/index.ts';
import { GrpcError, type ServedMethod } from '../../wire/grpc/index.ts';
import type { MessageOf } from '../../wire/protobuf/index.ts';
import type { CallDetails } from '../kit/driver-definition.ts';
import {
  GroupController as methods,
  GroupControllerServiceCapability_RPC_Type as Rpc,
  type volumeGroupSnapshot,
} from '../protocol/csi-v1.ts';
import type { SnapshotGroupRecord, SnapshotRecord } from '../records/records.ts';
import type { ControllerParts } from './controller-methods.ts';
import { required, texts } from './request-checks.ts';
import { served } from './served-method.ts';
import { removeSnapshot, snapshotMessage, timestampOf } from './snapshot-methods.ts';

export function groupMethods(parts: ControllerParts & { readonly clock: Clock }): readonly ServedMethod[] {
  const { controller, locks, random, clock } = parts;
  const { groups, snapshots, volumes } = controller.records;
  const take = controller.snapshotGroup?.bind(controller);
  if (take === undefined) return [];

  return [
    served(methods.groupControllerGetCapabilities, async () => ({
      capabilities: [{ rpc: { type: Rpc.CREATE_DELETE_GET_VOLUME_GROUP_SNAPSHOT } }],
    })),
    served(methods.createVolumeGroupSnapshot, async (request, signal) => {
      const name = required(request.name, 'name');
      const volumeIds = request.sourceVolumeIds ?? [];
      if (volumeIds.length === 0) throw new GrpcError('INVALID_ARGUMENT', 'source_volume_ids are required');
      const call = { secrets: texts(request.secrets), signal };
      return locks.hold(`group name ${name}`, signal, async () => {
        const begun = await groups.named(name);
        if (begun?.state === 'ready') {
          if (!isSame(begun.volumeIds, volumeIds))
            throw new GrpcError('ALREADY_EXISTS', `There is a group snapshot "${name}" of other volumes`);
          return { groupSnapshot: await groupMessage(begun) };
        }
        if (begun !== undefined) await remove(begun, call);
        return { groupSnapshot: await groupMessage(await create(name, volumeIds, call)) };
      });
    }),
    served(methods.deleteVolumeGroupSnapshot, async ({ groupSnapshotId, snapshotIds, secrets }, signal) => {
      const id = required(groupSnapshotId, 'group_snapshot_id');
      return locks.hold(`group ${id}`, signal, async () => {
        const found = await groups.get(id);
        if (found === undefined) return {};
        checkMembers(found, snapshotIds);
        await remove(found, { secrets: texts(secrets), signal });
        return {};
      });
    }),
    served(methods.getVolumeGroupSnapshot, async ({ groupSnapshotId, snapshotIds }) => {
      const id = required(groupSnapshotId, 'group_snapshot_id');
      const found = await groups.get(id);
      if (found?.state !== 'ready') throw new GrpcError('NOT_FOUND', `There is no group snapshot "${id}"`);
      checkMembers(found, snapshotIds);
      return { groupSnapshot: await groupMessage(found) };
    }),
  ];

  async function create(name: string, volumeIds: readonly string[], call: CallDetails): Promise<SnapshotGroupRecord> {
    const members = await Promise.all(
      volumeIds.map(async (id) => {
        const volume = await volumes.get(id);
        if (volume?.state !== 'ready') throw new GrpcError('NOT_FOUND', `There is no volume "${id}"`);
        return volume;
      }),
    );
    const id = randomUid(random);
    const createdAtMs = clock.now();
    const begun: readonly SnapshotRecord[] = members.map((volume) => {
      const snapshotId = randomUid(random);
      return {
        id: snapshotId,
        name: `${name}/${volume.id}`,
        state: 'creating',
        volumeId: volume.id,
        sizeBytes: volume.capacityBytes,
        createdAtMs,
        isReady: false,
        groupId: id,
      };
    });
    const snapshotIds = begun.map((snapshot) => snapshot.id);
    const group: SnapshotGroupRecord = { id, name, state: 'creating', snapshotIds, volumeIds, createdAtMs };
    await groups.put(group);
    for (const snapshot of begun) await snapshots.put(snapshot);
    try {
      await take?.(
        members.map((volume, at) => ({ snapshot: begun[at] as SnapshotRecord, volume })),
        call,
      );
    } catch (error) {
      await remove(group, call).catch(() => undefined); // its record stays, and the next try begins with it
      throw error;
    }
    for (const snapshot of begun) await snapshots.put({ ...snapshot, state: 'ready', isReady: true });
    const ready: SnapshotGroupRecord = { ...group, state: 'ready' };
    await groups.put(ready);
    return ready;
  }

  async function remove(group: SnapshotGroupRecord, call: CallDetails): Promise<void> {
    await groups.put({ ...group, state: 'deleting' });
    for (const id of group.snapshotIds) await removeSnapshot(controller, id, call);
    await groups.delete(group.id);
  }

  async function groupMessage(group: SnapshotGroupRecord): Promise<MessageOf<typeof volumeGroupSnapshot>> {
    const found = await Promise.all(group.snapshotIds.map((id) => snapshots.get(id)));
    const members = found.filter((snapshot) => snapshot !== undefined);
    return {
      groupSnapshotId: group.id,
      snapshots: members.map(snapshotMessage),
      creationTime: timestampOf(group.createdAtMs),
      readyToUse: members.every(({ isReady }) => isReady),
    };
  }
}

/** Refuses a call that names other snapshots than those of the group. A call that names none is about all of them. */
function checkMembers({ id, snapshotIds }: SnapshotGroupRecord, named: readonly string[] = []): void {
  if (named.length > 0 && !isSame(snapshotIds, named))
    throw new GrpcError('INVALID_ARGUMENT', `Group snapshot "${id}" has other snapshots than snapshot_ids name`);
}

function isSame(some: readonly string[], others: readonly string[]): boolean {
  return some.length === others.length && some.every((id) => others.includes(id));
}
