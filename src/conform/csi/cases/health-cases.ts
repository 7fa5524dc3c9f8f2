import { Controller, Node, type volumeHealth } from '../../../csi/protocol/csi-v1.ts';
import type { MessageOf } from '../../../wire/protobuf/index.ts';
import { type ConformCase, expectThat } from '../../suite.ts';
import type { CsiWorld } from '../csi-world.ts';
import { withController, withMounts } from './applies.ts';
import { staged } from './node-cases.ts';

const GET = 'CSI 1.13, ControllerGetVolumeHealth';
const LIST = 'CSI 1.13, ControllerListVolumeHealth';
const UNKNOWN = 'keelson-conform-no-such-volume';
/** A reason is one word, for programs. */
const CAMEL_CASE = /^[A-Z][A-Za-z0-9]*$/;

const reports = withController('CREATE_DELETE_VOLUME', 'GET_VOLUME_HEALTH');
const lists = withController('LIST_VOLUME_HEALTH');

export const healthCases: readonly ConformCase<CsiWorld>[] = [
  {
    name: 'health-of-volume',
    title: 'ControllerGetVolumeHealth answers about the volume that was asked for',
    rule: 'volume_id is that of the request; a health status has a kind and a reason, and is there once.',
    source: GET,
    level: 'must',
    skip: reports,
    async run(world, signal) {
      const { volumeId = '' } = await world.create(signal);
      const answer = await world.settle(Controller.controllerGetVolumeHealth, { volumeId }, signal);
      requireHealth(answer.volumeHealth, volumeId);
    },
  },
  {
    name: 'health-of-none',
    title: 'ControllerGetVolumeHealth of a volume that does not exist answers NOT_FOUND',
    rule: 'A volume that does not exist is NOT_FOUND.',
    source: GET,
    level: 'must',
    skip: reports,
    async run(world, signal) {
      const expected = { codes: ['NOT_FOUND'], when: 'of a volume that is not there', signal };
      await world.requireCode(Controller.controllerGetVolumeHealth, { volumeId: UNKNOWN }, expected);
      const { volumeId = '' } = await world.create(signal);
      await world.delete(volumeId, signal);
      await world.requireCode(Controller.controllerGetVolumeHealth, { volumeId }, expected);
    },
  },
  {
    name: 'health-list',
    title: 'ControllerListVolumeHealth lists valid entries, and refuses tokens that it has not given',
    rule: 'Entries are those of ControllerGetVolumeHealth, which the driver must have too; an invalid starting_token is ABORTED.',
    source: LIST,
    level: 'must',
    skip: lists,
    async run(world, signal) {
      expectThat(world.facts.controller.has('GET_VOLUME_HEALTH'), 'the driver does not claim GET_VOLUME_HEALTH');
      await world.create(signal);
      for (let startingToken = ''; ;) {
        const request = { maxEntries: 2, startingToken };
        const { entries = [], nextToken = '' } = await world.settle(
          Controller.controllerListVolumeHealth,
          request,
          signal,
        );
        expectThat(entries.length <= 2, `a page of 2 has ${entries.length} entries`);
        for (const entry of entries) requireHealth(entry, entry.volumeId ?? '');
        if (nextToken === '') break;
        expectThat(nextToken !== startingToken, `the token "${nextToken}" leads to itself`);
        startingToken = nextToken;
      }
      const expected = { codes: ['ABORTED'], when: 'with a made-up token', signal };
      const request = { startingToken: 'keelson-conform-no-such-token' };
      await world.requireCode(Controller.controllerListVolumeHealth, request, expected);
    },
  },
  {
    name: 'health-list-short',
    title: 'ControllerListVolumeHealth leaves out volumes that are well',
    rule: 'Volumes without an adverse condition are not listed.',
    source: LIST,
    level: 'should',
    skip: lists,
    async run(world, signal) {
      await world.create(signal);
      const { entries = [] } = await world.settle(Controller.controllerListVolumeHealth, {}, signal);
      const well = entries.filter(({ healthStatuses = [] }) => healthStatuses.length === 0);
      expectThat(well.length === 0, `${well.length} volumes are listed with which nothing is wrong`);
    },
  },
  {
    name: 'health-on-node',
    title: 'NodeGetVolumeHealth answers about a published volume, and NOT_FOUND for one that does not exist',
    rule: 'volume_id is that of the request; a volume that does not exist on the node is NOT_FOUND.',
    source: 'CSI 1.13, NodeGetVolumeHealth',
    level: 'must',
    skip: withMounts('GET_VOLUME_HEALTH'),
    async run(world, signal) {
      const volume = await world.create(signal);
      const request = await staged(world, volume, signal);
      await world.settle(Node.nodePublishVolume, request, signal);
      const { volumeId = '' } = volume;
      const { targetPath: volumePublishPath = '', stagingTargetPath = '' } = request;
      const at = { volumePublishPath, stagingTargetPath };
      const answer = await world.settle(Node.nodeGetVolumeHealth, { volumeId, ...at }, signal);
      requireHealth(answer.volumeHealth, volumeId);
      const expected = { codes: ['NOT_FOUND'], when: 'of a volume that is not there', signal };
      await world.requireCode(
        Node.nodeGetVolumeHealth,
        { volumeId: UNKNOWN, volumePublishPath: `${volumePublishPath}-never` },
        expected,
      );
    },
  },
  {
    name: 'storage-health',
    title: 'NodeGetStorageHealth answers with valid conditions',
    rule: 'A condition has a status and a reason.',
    source: 'CSI 1.13, NodeGetStorageHealth',
    level: 'must',
    skip: ({ facts }) =>
      facts.node.has('GET_STORAGE_HEALTH') ? undefined : 'the driver does not claim GET_STORAGE_HEALTH on nodes',
    async run(world, signal) {
      const { backendHealth = [] } = await world.settle(Node.nodeGetStorageHealth, {}, signal);
      for (const { status = 0, reason = '' } of backendHealth) requireCondition(status, reason);
    },
  },
];

function requireHealth(health: MessageOf<typeof volumeHealth> | undefined, volumeId: string): void {
  expectThat(health !== undefined, 'there is no volume_health');
  expectThat(
    health.volumeId === volumeId && volumeId !== '',
    `volume_health is of "${health.volumeId ?? ''}", not of "${volumeId}"`,
  );
  const seen = new Set<string>();
  for (const { status = 0, reason = '' } of health.healthStatuses ?? []) {
    requireCondition(status, reason);
    const key = `${status} ${reason}`;
    expectThat(!seen.has(key), `status ${status} with the reason ${reason} is there twice`);
    seen.add(key);
  }
}

function requireCondition(status: number, reason: string): void {
  expectThat(status !== 0, `a condition with the reason ${JSON.stringify(reason)} has no status`);
  expectThat(
    CAMEL_CASE.test(reason),
    `the reason of a condition is ${JSON.stringify(reason)}, not one word in CamelCase`,
  );
}
