// The calls about snapshots.
import { type Clock, randomUid } from '../../base/index.ts';
import { GrpcError, type ServedMethod } from '../../wire/grpc/index.ts';
import type { MessageOf } from '../../wire/protobuf/index.ts';
import { Controller as methods, type snapshot as snapshotTable, type timestamp } from '../protocol/csi-v1.ts';
import type { CallDetails, CsiController } from '../kit/driver-definition.ts';
import type { SnapshotRecord } from '../records/records.ts';
import type { ControllerParts } from './controller-methods.ts';
import { pageOf } from './pages.ts';
import { required, texts } from './request-checks.ts';
import { served } from './served-method.ts';

export function snapshotMethods(parts: ControllerParts & { readonly clock: Clock }): readonly ServedMethod[] {
  const { controller, locks, random, clock } = parts;
  const { snapshots, volumes } = controller.records;
  const take = controller.snapshot?.bind(controller);
  if (take === undefined) return [];

  const remove = (id: string, call: CallDetails): Promise<void> => removeSnapshot(controller, id, call);

  return [
    served(methods.createSnapshot, async (request, signal) => {
      const name = required(request.name, 'name');
      const volumeId = required(request.sourceVolumeId, 'source_volume_id');
      const call = { secrets: texts(request.secrets), signal };
      return locks.hold(`snapshot name ${name}`, signal, async () => {
        const begun = await snapshots.named(name);
        if (begun?.state === 'deleting') await remove(begun.id, call);
        if (begun !== undefined && begun.state !== 'deleting' && begun.volumeId !== volumeId)
          throw new GrpcError('ALREADY_EXISTS', `There is a snapshot "${name}" of another volume`);
        if (begun?.state === 'ready') return { snapshot: snapshotMessage(begun) };
        const volume = await volumes.get(volumeId);
        if (volume?.state !== 'ready') throw new GrpcError('NOT_FOUND', `There is no volume "${volumeId}"`);
        const record: SnapshotRecord = {
          id: begun?.state === 'creating' ? begun.id : randomUid(random),
          name,
          state: 'creating',
          volumeId,
          sizeBytes: volume.capacityBytes,
          createdAtMs: clock.now(),
          isReady: false,
        };
        await snapshots.put(record);
        try {
          const taken = await take({ ...record, parameters: texts(request.parameters) }, volume, call);
          const { sizeBytes = record.sizeBytes, isReady = true } = taken ?? {};
          const ready: SnapshotRecord = { ...record, state: 'ready', sizeBytes, isReady };
          await snapshots.put(ready);
          return { snapshot: snapshotMessage(ready) };
        } catch (error) {
          await remove(record.id, call).catch(() => undefined); // its record stays, and the next try begins with it
          throw error;
        }
      });
    }),
    served(methods.deleteSnapshot, async ({ snapshotId, secrets }, signal) => {
      const id = required(snapshotId, 'snapshot_id');
      return locks.hold(`snapshot ${id}`, signal, async () => {
        const { groupId } = (await snapshots.get(id)) ?? {};
        if (groupId !== undefined)
          throw new GrpcError('INVALID_ARGUMENT', `Snapshot "${id}" is deleted with its group "${groupId}"`);
        await remove(id, { secrets: texts(secrets), signal });
        return {};
      });
    }),
    served(methods.listSnapshots, async (request) => {
      const { snapshotId = '', sourceVolumeId = '' } = request;
      const all = (await snapshots.list()).filter(
        ({ state, id, volumeId }) =>
          state === 'ready' &&
          (snapshotId === '' || id === snapshotId) &&
          (sourceVolumeId === '' || volumeId === sourceVolumeId),
      );
      const { page, nextToken } = pageOf(all, request);
      return { entries: page.map((record) => ({ snapshot: snapshotMessage(record) })), nextToken };
    }),
    served(methods.getSnapshot, async ({ snapshotId }) => {
      const id = required(snapshotId, 'snapshot_id');
      const found = await snapshots.get(id);
      if (found?.state !== 'ready') throw new GrpcError('NOT_FOUND', `There is no snapshot "${id}"`);
      return { snapshot: snapshotMessage(found) };
    }),
  ];
}

/** Deletes a snapshot, whatever state it is in; a crash in between leaves a record that says so. */
export async function removeSnapshot(controller: CsiController, id: string, call: CallDetails): Promise<void> {
  const { snapshots } = controller.records;
  const found = await snapshots.get(id);
  if (found === undefined) return;
  await snapshots.put({ ...found, state: 'deleting' });
  await controller.deleteSnapshot?.(found, call);
  await snapshots.delete(id);
}

export function snapshotMessage(record: SnapshotRecord): MessageOf<typeof snapshotTable> {
  const { id, volumeId, sizeBytes, createdAtMs, isReady, groupId } = record;
  return {
    snapshotId: id,
    sourceVolumeId: volumeId,
    sizeBytes,
    creationTime: timestampOf(createdAtMs),
    readyToUse: isReady,
    ...(groupId === undefined ? {} : { groupSnapshotId: groupId }),
  };
}

export function timestampOf(timeMs: number): MessageOf<typeof timestamp> {
  const seconds = Math.floor(timeMs / 1000);
  return { seconds, nanos: Math.round(timeMs - seconds * 1000) * 1_000_000 };
}
