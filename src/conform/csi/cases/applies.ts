import { Controller } from '../../../csi/protocol/csi-v1.ts';
import type { ControllerCapability, CsiWorld, NodeCapability } from '../csi-world.ts';

type Reason = (world: CsiWorld) => string | undefined;

/** Why a rule does not apply to drivers that do not claim these capabilities of the controller. */
export function withController(...needed: readonly ControllerCapability[]): Reason {
  return ({ facts }) => {
    const missing = needed.filter((name) => !facts.controller.has(name));
    if (!facts.hasController) return 'the driver has no controller service';
    return missing.length === 0 ? undefined : `the driver does not claim ${missing.join(', ')}`;
  };
}

/** Why a rule about mounts does not apply. */
export function withMounts(...needed: readonly NodeCapability[]): Reason {
  return (world) => {
    const { facts, options } = world;
    if (!facts.hasNode) return 'the driver has no node service';
    const missing = needed.filter((name) => !facts.node.has(name));
    if (missing.length > 0) return `the driver does not claim ${missing.join(', ')} on nodes`;
    if (!options.canMount) return 'volumes are mounted by root, on Linux, only';
    return withController('CREATE_DELETE_VOLUME')(world);
  };
}

/** Why the driver cannot be killed, or another rule does not apply. */
export function withRestarts(other: Reason): Reason {
  return (world) => (world.canRestart ? other(world) : 'only a driver that is given as a command can be killed');
}

/** Why a rule about snapshots of several volumes does not apply. */
export const withGroups: Reason = (world) =>
  world.facts.group.has('CREATE_DELETE_GET_VOLUME_GROUP_SNAPSHOT')
    ? withController('CREATE_DELETE_VOLUME')(world)
    : 'the driver does not claim CREATE_DELETE_GET_VOLUME_GROUP_SNAPSHOT';

/** Why a rule about raw block volumes does not apply: the driver refuses to make one, or another reason. */
export function withBlock(other: Reason) {
  return async (world: CsiWorld, signal: AbortSignal): Promise<string | undefined> => {
    const reason = other(world);
    if (reason !== undefined) return reason;
    const request = world.volumeRequest({ volumeCapabilities: [world.blockCapability] });
    const { code, response, message } = await world.try(Controller.createVolume, request, signal);
    if (response !== undefined) world.keep(response.volume);
    return code === 'INVALID_ARGUMENT' ? `the driver makes no block volumes: ${message ?? ''}` : undefined;
  };
}
