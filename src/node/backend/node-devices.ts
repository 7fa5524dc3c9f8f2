import type { Observed, Pod, ResourceClaim } from '../../client/index.ts';
import type { Device, EnvironmentVariable, Mount } from '../runtime/index.ts';
import type { ResourceTexts } from './machine.ts';

/** Changes to the configuration of a container that let it use devices. */
export interface ContainerEdits {
  readonly envs: readonly EnvironmentVariable[];
  readonly mounts: readonly Mount[];
  readonly devices: readonly Device[];
  /** Names of the Container Device Interface: `vendor.com/class=name`. */
  readonly cdiDevices: readonly string[];
  readonly annotations: Readonly<Record<string, string>>;
}

/** Edits by the name of the container. */
export type DeviceEdits = ReadonlyMap<string, ContainerEdits>;

export const NO_EDITS: DeviceEdits = new Map();

/** A claim of a pod, which the agent has found to be reserved for it. */
export interface PodClaim {
  /** By which containers refer to it; empty for the claim of extended resources. */
  readonly name: string;
  readonly claim: Observed<ResourceClaim>;
}

/** Why a node does not take a pod, as the pod's status says it. */
export interface Refusal {
  readonly reason: string;
  readonly message: string;
}

export interface DeviceResources {
  readonly capacity: ResourceTexts;
  readonly allocatable: ResourceTexts;
}

/** The devices of a machine. A backend that sees devices come or go calls `BackendContext.changed`. */
export interface NodeDevices {
  /** Sets devices aside for a pod that the node is about to take, or refuses it (`UnexpectedAdmissionError`). */
  admit(pod: Observed<Pod>): Promise<Refusal | undefined>;
  /** Makes the devices of a pod ready. Called again for a pod that runs when the agent was restarted. */
  prepare(pod: Observed<Pod>, claims: readonly PodClaim[], signal: AbortSignal): Promise<DeviceEdits>;
  /** Gives back what was set aside and made ready for a pod whose containers have stopped. */
  unprepare(podUid: string): Promise<void>;
  /** Resources that devices add to those of the machine, now. */
  resources(): DeviceResources;
}

/** Of machines without devices. */
export const NO_DEVICES: NodeDevices = {
  admit: async () => undefined,
  prepare: async () => NO_EDITS,
  unprepare: async () => undefined,
  resources: () => NO_RESOURCES,
};
const NO_RESOURCES: DeviceResources = { capacity: {}, allocatable: {} };
