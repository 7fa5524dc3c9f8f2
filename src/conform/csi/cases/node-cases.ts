import { lstat, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Node } from '../../../csi/protocol/csi-v1.ts';
import { type ConformCase, expectThat } from '../../suite.ts';
import type { CsiWorld, Volume } from '../csi-world.ts';
import { withMounts } from './applies.ts';
import { cancelled, times } from './repeated-calls.ts';

const PUBLISH = 'CSI 1.13, NodePublishVolume';
const UNPUBLISH = 'CSI 1.13, NodeUnpublishVolume';
const STAGE = 'CSI 1.13, NodeStageVolume';
const CANCEL_AFTER_MS = [0, 1, 5, 25];

export const nodeCases: readonly ConformCase<CsiWorld>[] = [
  {
    name: 'publish-keeps-data',
    title: 'what is written to a volume is there when it is published again',
    rule: 'A volume keeps its data until it is deleted.',
    source: PUBLISH,
    level: 'must',
    skip: withMounts(),
    async run(world, signal) {
      const volume = await world.create(signal);
      const first = await publish(world, volume, signal);
      await writeFile(join(first, 'kept'), 'yes');
      await world.unpublish(volume.volumeId ?? '', first, signal);
      await world.unstage(volume.volumeId ?? '', signal);
      const second = await publish(world, volume, signal);
      const text = await readFile(join(second, 'kept'), 'utf8').catch(() => 'nothing');
      expectThat(text === 'yes', `the file of the volume has ${JSON.stringify(text)}`);
    },
  },
  {
    name: 'publish-again',
    title: 'NodePublishVolume may be repeated, and mounts once',
    rule: 'A volume that is published at the path answers OK.',
    source: PUBLISH,
    level: 'must',
    skip: withMounts(),
    async run(world, signal) {
      const volume = await world.create(signal);
      const request = await staged(world, volume, signal);
      for (let round = 0; round < 3; round++) await world.settle(Node.nodePublishVolume, request, signal);
      await requireOneMount(world, request.targetPath ?? '');
    },
  },
  {
    name: 'publish-concurrent',
    title: 'the same NodePublishVolume at the same time mounts once',
    rule: 'A call for a volume that is being published answers ABORTED, or waits.',
    source: 'CSI 1.13, concurrency',
    level: 'must',
    skip: withMounts(),
    async run(world, signal) {
      const volume = await world.create(signal);
      const request = await staged(world, volume, signal);
      const outcomes = await Promise.all(
        times(world.options.concurrency, () => world.try(Node.nodePublishVolume, request, signal)),
      );
      for (const { code } of outcomes) expectThat(['OK', 'ABORTED'].includes(code), `one of them answers ${code}`);
      await world.settle(Node.nodePublishVolume, request, signal);
      await requireOneMount(world, request.targetPath ?? '');
    },
  },
  {
    name: 'publish-cancelled',
    title: 'a NodePublishVolume that the caller gives up is finished, or undone, by the next call',
    rule: 'After a call that was cancelled the caller repeats it, or unpublishes.',
    source: 'CSI 1.13, timeouts and cancellation',
    level: 'must',
    skip: withMounts(),
    async run(world, signal) {
      const volume = await world.create(signal);
      for (const [round, afterMs] of CANCEL_AFTER_MS.entries()) {
        const request = await staged(world, volume, signal);
        const { targetPath = '' } = request;
        await cancelled(world, afterMs, (giveUp) => world.try(Node.nodePublishVolume, request, giveUp));
        if (round % 2 === 0) {
          await world.settle(Node.nodePublishVolume, request, signal);
          await requireOneMount(world, targetPath);
        }
        await world.unpublish(volume.volumeId ?? '', targetPath, signal);
        await requireGone(world, targetPath);
      }
    },
  },
  {
    name: 'publish-readonly',
    title: 'a volume that is published read-only cannot be written to',
    rule: 'readonly is obeyed.',
    source: PUBLISH,
    level: 'must',
    skip: withMounts(),
    async run(world, signal) {
      const volume = await world.create(signal);
      const request = { ...(await staged(world, volume, signal)), readonly: true };
      await world.settle(Node.nodePublishVolume, request, signal);
      const failure = await writeFile(join(request.targetPath ?? '', 'file'), '').then(
        () => 'it is written',
        (error: NodeJS.ErrnoException) => error.code ?? '',
      );
      expectThat(failure === 'EROFS', `writing to it ends with: ${failure}`);
    },
  },
  {
    name: 'unpublish-again',
    title: 'NodeUnpublishVolume removes the path, may be repeated, and succeeds for what never was',
    rule: 'The path is deleted; a volume that is not published there answers OK.',
    source: UNPUBLISH,
    level: 'must',
    skip: withMounts(),
    async run(world, signal) {
      const volume = await world.create(signal);
      const { volumeId = '' } = volume;
      const target = await publish(world, volume, signal);
      await world.unpublish(volumeId, target, signal);
      await requireGone(world, target);
      for (const targetPath of [target, `${target}-never`]) {
        const { code } = await world.try(Node.nodeUnpublishVolume, { volumeId, targetPath }, signal);
        expectThat(code === 'OK', `NodeUnpublishVolume of what is not published answers ${code}`);
      }
    },
  },
  {
    name: 'stage-again',
    title: 'NodeStageVolume and NodeUnstageVolume may be repeated, and nothing stays mounted',
    rule: 'A volume that is staged, or not staged any more, answers OK.',
    source: STAGE,
    level: 'must',
    skip: withMounts('STAGE_UNSTAGE_VOLUME'),
    async run(world, signal) {
      const volume = await world.create(signal);
      const { volumeId = '' } = volume;
      const request = await world.stageRequest(volume, await world.attach(volume, signal));
      const { stagingTargetPath = '' } = request;
      for (let round = 0; round < 3; round++) await world.settle(Node.nodeStageVolume, request, signal);
      const mounts = (await world.mounts.below(stagingTargetPath)).length;
      expectThat(mounts <= 1, `after three calls there are ${mounts} mounts at the staging path`);
      for (let round = 0; round < 3; round++)
        await world.settle(Node.nodeUnstageVolume, { volumeId, stagingTargetPath }, signal);
      expectThat(!(await world.mounts.isMountPoint(stagingTargetPath)), 'the staging path is still mounted');
    },
  },
  {
    name: 'publish-before-stage',
    title: 'a volume that is not staged is not published',
    rule: 'NodePublishVolume without staging_target_path answers FAILED_PRECONDITION where the driver stages.',
    source: PUBLISH,
    level: 'must',
    skip: withMounts('STAGE_UNSTAGE_VOLUME'),
    async run(world, signal) {
      const volume = await world.create(signal);
      const request = await world.publishRequest(volume, await world.attach(volume, signal));
      const { stagingTargetPath: _, ...bare } = request;
      await world.requireCode(Node.nodePublishVolume, bare, {
        codes: ['FAILED_PRECONDITION', 'INVALID_ARGUMENT'],
        when: 'without a staging path',
        signal,
      });
    },
  },
  {
    name: 'stats',
    title: 'statistics add up, and a path without a volume answers NOT_FOUND',
    rule: 'total, used and available are sizes of the volume; a path that does not exist is NOT_FOUND.',
    source: 'CSI 1.13, NodeGetVolumeStats',
    level: 'must',
    skip: withMounts('GET_VOLUME_STATS'),
    async run(world, signal) {
      const volume = await world.create(signal);
      const { volumeId = '' } = volume;
      const volumePath = await publish(world, volume, signal);
      const { usage = [] } = await world.settle(Node.nodeGetVolumeStats, { volumeId, volumePath }, signal);
      expectThat(usage.length > 0, 'there is no usage');
      for (const { unit = 0, total = 0, used = 0, available = 0 } of usage) {
        const shown = `${used} used and ${available} available of ${total}`;
        expectThat(unit !== 0 && used >= 0 && available >= 0, `usage of unit ${unit}: ${shown}`);
        expectThat(total === 0 || (used <= total && available <= total), `usage of unit ${unit}: ${shown}`);
      }
      const missing = { volumeId, volumePath: join(world.folder, 'no-such-path') };
      await world.requireCode(Node.nodeGetVolumeStats, missing, {
        codes: ['NOT_FOUND'],
        when: 'of a path without a volume',
        signal,
      });
    },
  },
];

/** A volume that is attached and staged, as far as the driver does so, and the request to publish it. */
export async function staged(
  world: CsiWorld,
  volume: Volume,
  signal: AbortSignal,
): ReturnType<CsiWorld['publishRequest']> {
  const context = await world.attach(volume, signal);
  if (world.facts.node.has('STAGE_UNSTAGE_VOLUME'))
    await world.settle(Node.nodeStageVolume, await world.stageRequest(volume, context), signal);
  return await world.publishRequest(volume, context);
}

/** Publishes a volume, and returns where. */
export async function publish(world: CsiWorld, volume: Volume, signal: AbortSignal): Promise<string> {
  const request = await staged(world, volume, signal);
  await world.settle(Node.nodePublishVolume, request, signal);
  return request.targetPath ?? '';
}

async function requireOneMount(world: CsiWorld, path: string): Promise<void> {
  const mounts = (await world.mounts.below(path)).length;
  expectThat(mounts === 1, `there are ${mounts} mounts at the target path, not 1`);
}

export async function requireGone(world: CsiWorld, path: string): Promise<void> {
  expectThat(!(await world.mounts.isMountPoint(path)), 'the target path is still mounted');
  const isThere = await lstat(path).then(
    () => true,
    () => false,
  );
  expectThat(!isThere, 'the target path is still there');
}
