import { Controller } from '../../../csi/protocol/csi-v1.ts';
import { type ConformCase, expectThat } from '../../suite.ts';
import type { CsiWorld } from '../csi-world.ts';
import { withController } from './applies.ts';
import { times } from './repeated-calls.ts';

const ATTACH = 'CSI 1.13, ControllerPublishVolume';
const DETACH = 'CSI 1.13, ControllerUnpublishVolume';
const attaches = (world: CsiWorld): string | undefined =>
  withController('CREATE_DELETE_VOLUME', 'PUBLISH_UNPUBLISH_VOLUME')(world) ??
  (world.facts.nodeId === '' ? 'the driver has no node service at this endpoint, so no node is known' : undefined);

export const attachCases: readonly ConformCase<CsiWorld>[] = [
  {
    name: 'attach-again',
    title: 'ControllerPublishVolume may be repeated, also at the same time',
    rule: 'A volume that is attached in this way answers OK with the same context.',
    source: ATTACH,
    level: 'must',
    skip: attaches,
    async run(world, signal) {
      const volume = await world.create(signal);
      const first = await world.attach(volume, signal);
      const { volumeId = '' } = volume;
      const request = { volumeId, nodeId: world.facts.nodeId, volumeCapability: world.capability };
      const outcomes = await Promise.all(
        times(world.options.concurrency, () => world.try(Controller.controllerPublishVolume, request, signal)),
      );
      for (const { code, response } of outcomes) {
        expectThat(['OK', 'ABORTED'].includes(code), `one of them answers ${code}`);
        const shown = JSON.stringify([...(response?.publishContext ?? first)]);
        expectThat(shown === JSON.stringify([...first]), `publish_context is ${shown}, and was another`);
      }
    },
  },
  {
    name: 'attach-unknown-node',
    title: 'ControllerPublishVolume to a node that does not exist answers NOT_FOUND',
    rule: 'A node that does not exist is NOT_FOUND.',
    source: ATTACH,
    level: 'must',
    skip: attaches,
    async run(world, signal) {
      const { volumeId = '' } = await world.create(signal);
      const nodeId = 'keelson-conform-no-such-node';
      const request = { volumeId, nodeId, volumeCapability: world.capability };
      const outcome = await world.try(Controller.controllerPublishVolume, request, signal);
      if (outcome.code === 'OK') await world.settle(Controller.controllerUnpublishVolume, { volumeId, nodeId }, signal);
      expectThat(outcome.code === 'NOT_FOUND', `ControllerPublishVolume to a made-up node answers ${outcome.code}`);
    },
  },
  {
    name: 'attach-listed',
    title: 'ListVolumes shows where a volume is attached',
    rule: 'published_node_ids are the nodes that a volume is attached to.',
    source: 'CSI 1.13, ListVolumes',
    level: 'must',
    skip: (world) => attaches(world) ?? withController('LIST_VOLUMES', 'LIST_VOLUMES_PUBLISHED_NODES')(world),
    async run(world, signal) {
      const volume = await world.create(signal);
      const { volumeId = '' } = volume;
      const nodesOf = async (): Promise<readonly string[]> => {
        const { entries = [] } = await world.settle(Controller.listVolumes, {}, signal);
        return entries.find((entry) => entry.volume?.volumeId === volumeId)?.status?.publishedNodeIds ?? [];
      };
      await world.attach(volume, signal);
      const during = await nodesOf();
      expectThat(during.join() === world.facts.nodeId, `published_node_ids are [${during.join(', ')}]`);
      await world.detach(volumeId, signal);
      const after = await nodesOf();
      expectThat(after.length === 0, `after it was detached, published_node_ids are [${after.join(', ')}]`);
    },
  },
  {
    name: 'attached-is-kept',
    title: 'a volume that is attached is not deleted',
    rule: 'DeleteVolume of a volume in use answers FAILED_PRECONDITION.',
    source: 'CSI 1.13, DeleteVolume',
    level: 'should',
    skip: attaches,
    async run(world, signal) {
      const volume = await world.create(signal);
      await world.attach(volume, signal);
      const request = { volumeId: volume.volumeId ?? '', secrets: world.options.secrets };
      await world.requireCode(Controller.deleteVolume, request, {
        codes: ['FAILED_PRECONDITION'],
        when: 'of an attached volume',
        signal,
      });
    },
  },
  {
    name: 'detach-again',
    title: 'ControllerUnpublishVolume may be repeated, and succeeds for what is not attached',
    rule: 'A volume that is not attached, or does not exist, is detached: OK.',
    source: DETACH,
    level: 'must',
    skip: attaches,
    async run(world, signal) {
      const volume = await world.create(signal);
      await world.attach(volume, signal);
      const { volumeId = '' } = volume;
      const { nodeId } = world.facts;
      const outcomes = await Promise.all(
        times(world.options.concurrency, () =>
          world.try(Controller.controllerUnpublishVolume, { volumeId, nodeId }, signal),
        ),
      );
      for (const { code } of outcomes) expectThat(['OK', 'ABORTED'].includes(code), `one of them answers ${code}`);
      await world.detach(volumeId, signal);
      await world.detach(volumeId, signal);
    },
  },
];
