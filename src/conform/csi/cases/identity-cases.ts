import { Controller, GroupController, Identity, Node } from '../../../csi/protocol/csi-v1.ts';
import type { Method } from '../../../wire/grpc/index.ts';
import { type ConformCase, expectThat } from '../../suite.ts';
import {
  type ControllerCapability,
  type CsiWorld,
  type GroupCapability,
  nameOf,
  type NodeCapability,
} from '../csi-world.ts';

const NAME = /^[a-zA-Z0-9]([a-zA-Z0-9.-]{0,61}[a-zA-Z0-9])?$/;

type AnyMethod = Method<object, object>;

/** The calls that each capability stands for. An empty request shows whether they are implemented, and changes nothing. */
const CONTROLLER: readonly (readonly [ControllerCapability, AnyMethod])[] = [
  ['CREATE_DELETE_VOLUME', Controller.createVolume],
  ['CREATE_DELETE_VOLUME', Controller.deleteVolume],
  ['PUBLISH_UNPUBLISH_VOLUME', Controller.controllerPublishVolume],
  ['PUBLISH_UNPUBLISH_VOLUME', Controller.controllerUnpublishVolume],
  ['LIST_VOLUMES', Controller.listVolumes],
  ['GET_CAPACITY', Controller.getCapacity],
  ['CREATE_DELETE_SNAPSHOT', Controller.createSnapshot],
  ['CREATE_DELETE_SNAPSHOT', Controller.deleteSnapshot],
  ['LIST_SNAPSHOTS', Controller.listSnapshots],
  ['EXPAND_VOLUME', Controller.controllerExpandVolume],
  ['GET_VOLUME', Controller.controllerGetVolume],
  ['MODIFY_VOLUME', Controller.controllerModifyVolume],
  ['GET_SNAPSHOT', Controller.getSnapshot],
  ['GET_VOLUME_HEALTH', Controller.controllerGetVolumeHealth],
  ['LIST_VOLUME_HEALTH', Controller.controllerListVolumeHealth],
];
const NODE: readonly (readonly [NodeCapability, AnyMethod])[] = [
  ['STAGE_UNSTAGE_VOLUME', Node.nodeStageVolume],
  ['STAGE_UNSTAGE_VOLUME', Node.nodeUnstageVolume],
  ['GET_VOLUME_STATS', Node.nodeGetVolumeStats],
  ['EXPAND_VOLUME', Node.nodeExpandVolume],
  ['GET_VOLUME_HEALTH', Node.nodeGetVolumeHealth],
  ['GET_STORAGE_HEALTH', Node.nodeGetStorageHealth],
];
const GROUP: readonly (readonly [GroupCapability, AnyMethod])[] = [
  ['CREATE_DELETE_GET_VOLUME_GROUP_SNAPSHOT', GroupController.createVolumeGroupSnapshot],
  ['CREATE_DELETE_GET_VOLUME_GROUP_SNAPSHOT', GroupController.deleteVolumeGroupSnapshot],
  ['CREATE_DELETE_GET_VOLUME_GROUP_SNAPSHOT', GroupController.getVolumeGroupSnapshot],
];
/** Calls without required fields. */
const LENIENT = [
  Controller.listVolumes,
  Controller.listSnapshots,
  Controller.getCapacity,
  Controller.controllerListVolumeHealth,
  Node.nodeGetStorageHealth,
].map(({ path }) => path);

export const identityCases: readonly ConformCase<CsiWorld>[] = [
  {
    name: 'plugin-info',
    title: 'the driver has a name and a version',
    rule: 'name is a domain name of at most 63 letters, digits, dashes and dots; vendor_version is not empty.',
    source: 'CSI 1.13, GetPluginInfo',
    level: 'must',
    async run(world, signal) {
      const { name = '', vendorVersion = '' } = await world.call(Identity.getPluginInfo, {}, signal);
      expectThat(NAME.test(name), `the name is ${JSON.stringify(name)}`);
      expectThat(vendorVersion !== '', 'vendor_version is empty');
    },
  },
  {
    name: 'capabilities-stable',
    title: 'capabilities are the same whenever they are asked for',
    rule: 'Callers ask once, and rely on the answer.',
    source: 'CSI 1.13, ControllerGetCapabilities',
    level: 'must',
    skip: ({ facts }) => (facts.hasController ? undefined : 'the driver has no controller service'),
    async run(world, signal) {
      const answers = await Promise.all(
        Array.from({ length: world.options.concurrency }, () =>
          world.call(Controller.controllerGetCapabilities, {}, signal),
        ),
      );
      const lists = answers.map(({ capabilities = [] }) => capabilities.map(({ rpc }) => rpc?.type ?? 0).sort());
      for (const list of lists) {
        expectThat(!list.includes(0), 'it claims a capability that is UNKNOWN');
        expectThat(new Set(list).size === list.length, `it claims a capability twice: ${list.join(', ')}`);
        expectThat(
          list.join() === lists[0]?.join(),
          `it claims ${list.join(', ')}, and before ${lists[0]?.join(', ')}`,
        );
      }
    },
  },
  {
    name: 'claimed-is-there',
    title: 'what the driver claims is implemented',
    rule: 'A call that a claimed capability stands for does not answer UNIMPLEMENTED.',
    source: 'CSI 1.13, capabilities',
    level: 'must',
    async run(world, signal) {
      const claimed = callsOf(world, true);
      for (const { capability, method } of claimed) {
        const { code } = await world.try(method, {}, signal);
        expectThat(code !== 'UNIMPLEMENTED', `it claims ${capability}, and ${nameOf(method)} answers UNIMPLEMENTED`);
      }
    },
  },
  {
    name: 'there-is-claimed',
    title: 'what the driver does not claim answers UNIMPLEMENTED',
    rule: 'A call that is not supported answers UNIMPLEMENTED; one that works is claimed, or no caller uses it.',
    source: 'CSI 1.13, error scheme',
    level: 'should',
    async run(world, signal) {
      for (const { capability, method } of callsOf(world, false)) {
        const { code } = await world.try(method, {}, signal);
        expectThat(code === 'UNIMPLEMENTED', `it does not claim ${capability}, and ${nameOf(method)} answers ${code}`);
      }
    },
  },
  {
    name: 'required-fields',
    title: 'calls without their required fields answer INVALID_ARGUMENT',
    rule: 'A required field that is missing is INVALID_ARGUMENT.',
    source: 'CSI 1.13, error scheme',
    level: 'must',
    async run(world, signal) {
      for (const { method } of callsOf(world, true)) {
        if (LENIENT.includes(method.path)) continue;
        await world.requireCode(method, {}, { codes: ['INVALID_ARGUMENT'], when: 'with an empty request', signal });
      }
    },
  },
];

function callsOf(
  { facts }: CsiWorld,
  isClaimed: boolean,
): readonly { readonly capability: string; readonly method: AnyMethod }[] {
  const calls = [
    ...(facts.hasController ? CONTROLLER : []).map(([name, method]) => ({ name, method, claimed: facts.controller })),
    ...(facts.group.size > 0 ? GROUP : []).map(([name, method]) => ({ name, method, claimed: facts.group })),
    ...(facts.hasNode ? NODE : []).map(([name, method]) => ({ name, method, claimed: facts.node })),
  ];
  return calls
    .filter(({ name, claimed }) => claimed.has(name) === isClaimed)
    .map(({ name, method }) => ({ capability: name, method }));
}
