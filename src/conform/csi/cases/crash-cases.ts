import { Controller, Node } from '../../../csi/protocol/csi-v1.ts';
import { type ConformCase, expectThat } from '../../suite.ts';
import type { CsiWorld } from '../csi-world.ts';
import { driverState, requireNothingLeft } from '../driver-state.ts';
import { withController, withMounts, withRestarts } from './applies.ts';
import { publish, requireGone, staged } from './node-cases.ts';
import { requireMore, requireSame } from './repeated-calls.ts';

const SOURCE = 'CSI 1.13, concurrency and idempotency';
/** How long after a call the driver is killed. */
const KILL_AFTER_MS = [0, 3, 15];
/** Rounds of the whole life of a volume. */
const ROUNDS = 3;

const volumes = withController('CREATE_DELETE_VOLUME');

export const crashCases: readonly ConformCase<CsiWorld>[] = [
  {
    name: 'restart-keeps',
    title: 'volumes and snapshots are there after the driver was killed',
    rule: 'A driver may be restarted at any time; what it has created stays.',
    source: SOURCE,
    level: 'must',
    skip: withRestarts(volumes),
    async run(world, signal) {
      const request = world.volumeRequest();
      const volume = await world.create(signal, request);
      const { volumeId = '' } = volume;
      const hasSnapshots = world.facts.controller.has('CREATE_DELETE_SNAPSHOT');
      const name = world.newName();
      const before = hasSnapshots ? await world.snapshot(volumeId, signal, name) : undefined;
      await world.restart(signal);
      const validate = { volumeId, volumeCapabilities: [world.capability] };
      const { code } = await world.try(Controller.validateVolumeCapabilities, validate, signal);
      expectThat(code === 'OK', `ValidateVolumeCapabilities after a restart answers ${code}`);
      requireSame(volume, await world.create(signal, request));
      const after = hasSnapshots ? await world.snapshot(volumeId, signal, name) : undefined;
      expectThat(after?.snapshotId === before?.snapshotId, 'CreateSnapshot after a restart takes another one');
    },
  },
  {
    name: 'killed-create',
    title: 'a CreateVolume that the driver died in is finished by the next',
    rule: 'The repeated call makes one volume, whatever the first has left.',
    source: SOURCE,
    level: 'must',
    skip: withRestarts(volumes),
    async run(world, signal) {
      const before = await world.volumeIds(signal);
      for (const afterMs of KILL_AFTER_MS) {
        const request = world.volumeRequest();
        await killedIn(world, afterMs, world.try(Controller.createVolume, request, signal));
        await world.restart(signal);
        requireSame(await world.create(signal, request), await world.create(signal, request));
      }
      await requireMore(world, { before, more: KILL_AFTER_MS.length, signal });
    },
  },
  {
    name: 'killed-delete',
    title: 'a DeleteVolume that the driver died in is finished by the next',
    rule: 'The repeated call answers OK, and nothing of the volume is left.',
    source: SOURCE,
    level: 'must',
    skip: withRestarts(volumes),
    async run(world, signal) {
      const before = await world.volumeIds(signal);
      for (const afterMs of KILL_AFTER_MS) {
        const { volumeId = '' } = await world.create(signal);
        const request = { volumeId, secrets: world.options.secrets };
        await killedIn(world, afterMs, world.try(Controller.deleteVolume, request, signal));
        await world.restart(signal);
        await world.delete(volumeId, signal);
      }
      await requireMore(world, { before, more: 0, signal });
    },
  },
  {
    name: 'restart-unpublish',
    title: 'what was published before the driver was killed is unpublished after',
    rule: 'A driver may be restarted at any time; the node ends what it has begun.',
    source: SOURCE,
    level: 'must',
    skip: withRestarts(withMounts()),
    async run(world, signal) {
      const volume = await world.create(signal);
      const target = await publish(world, volume, signal);
      await world.restart(signal);
      await world.unpublish(volume.volumeId ?? '', target, signal);
      await requireGone(world, target);
      await world.unstage(volume.volumeId ?? '', signal);
    },
  },
  {
    name: 'killed-publish',
    title: 'a NodePublishVolume that the driver died in is finished by the next',
    rule: 'The repeated call publishes, and mounts once.',
    source: SOURCE,
    level: 'must',
    skip: withRestarts(withMounts()),
    async run(world, signal) {
      const volume = await world.create(signal);
      for (const afterMs of KILL_AFTER_MS) {
        const request = await staged(world, volume, signal);
        const { targetPath = '' } = request;
        await killedIn(world, afterMs, world.try(Node.nodePublishVolume, request, signal));
        await world.restart(signal);
        await world.settle(Node.nodePublishVolume, request, signal);
        const mounts = (await world.mounts.below(targetPath)).length;
        expectThat(mounts === 1, `there are ${mounts} mounts at the target path, not 1`);
        await world.unpublish(volume.volumeId ?? '', targetPath, signal);
        await requireGone(world, targetPath);
      }
    },
  },
  {
    name: 'nothing-left',
    title: 'volumes that are created, used and deleted leave nothing',
    rule: 'Volumes, snapshots, mounts and files are gone with what they were made for.',
    source: 'CSI 1.13, volume lifecycle',
    level: 'must',
    skip: volumes,
    async run(world, signal) {
      const before = await driverState(world, signal);
      for (let round = 0; round < ROUNDS; round++) {
        const volume = await world.create(signal);
        const { volumeId = '' } = volume;
        const snapshots = world.facts.controller.has('CREATE_DELETE_SNAPSHOT')
          ? [await world.snapshot(volumeId, signal)]
          : [];
        if (withMounts()(world) === undefined) {
          await world.unpublish(volumeId, await publish(world, volume, signal), signal);
          await world.unstage(volumeId, signal);
        }
        if (world.facts.controller.has('PUBLISH_UNPUBLISH_VOLUME') && world.facts.nodeId !== '')
          await world.detach(volumeId, signal);
        for (const { snapshotId = '' } of snapshots) await world.deleteSnapshot(snapshotId, signal);
        await world.delete(volumeId, signal);
      }
      await requireNothingLeft(world, before, signal);
    },
  },
];

/** Kills the driver a while after a call has begun, and waits for the end of both. */
async function killedIn(world: CsiWorld, afterMs: number, call: Promise<unknown>): Promise<void> {
  const ended = call.catch(() => undefined); // how it ends is not of interest
  await world.clock.sleep(afterMs);
  await world.kill();
  await ended;
}
