import type { Observed, Pod, ResourceClaim } from '../../client/index.ts';
import type { ContainerSpec } from '../life/index.ts';
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

/** A claim of a pod. The agent has checked that the claim is reserved for that pod. */
export interface PodClaim {
  /** The name by which containers refer to the claim; empty for the claim of extended resources. */
  readonly name: string;
  readonly claim: Observed<ResourceClaim>;
}

/** Why a node rejects a pod, as shown in the pod's status. */
export interface Refusal {
  readonly reason: string;
  readonly message: string;
}

export interface DeviceResources {
  readonly capacity: ResourceTexts;
  readonly allocatable: ResourceTexts;
}

/** A device of a device plugin. */
export interface GivenDevice {
  /** Such as `example.com/fpga`. */
  readonly resource: string;
  readonly id: string;
  readonly isHealthy: boolean;
  /** The NUMA nodes that the device is near to; empty where the plugin says nothing about them. */
  readonly nodes: readonly number[];
}

export type DeviceHealth = 'Healthy' | 'Unhealthy' | 'Unknown';

/** A device of a claim, as its driver has prepared it. */
export interface ClaimedDevice {
  readonly driver: string;
  readonly pool: string;
  readonly device: string;
  readonly shareId: string | undefined;
  /** Requests of the claim that the device is for; empty for all. */
  readonly requests: readonly string[];
  readonly cdiDevices: readonly string[];
  readonly health: DeviceHealth;
  /** More about the health, in the driver's words; empty where it says nothing. */
  readonly message: string;
}

/** A prepared claim that a container refers to, with all its devices. */
export interface ContainerClaim {
  /** The name by which the container refers to the claim; empty for the claim of extended resources. */
  readonly name: string;
  readonly claimName: string;
  readonly claimNamespace: string;
  readonly devices: readonly ClaimedDevice[];
}

/** The devices of a machine. A backend that sees devices come or go calls `BackendContext.changed`. */
export interface NodeDevices {
  /** Reserves devices for a pod that the node is about to admit, or rejects the pod (`UnexpectedAdmissionError`). */
  admit(pod: Observed<Pod>): Promise<Refusal | undefined>;
  /** Prepares the devices of a pod. The agent calls this again for running pods after it was restarted. */
  prepare(pod: Observed<Pod>, claims: readonly PodClaim[], signal: AbortSignal): Promise<DeviceEdits>;
  /**
   * The edits of one container, asked for each time that the container is about to be created; undefined when it has no devices of plugins.
   * They come in addition to those of `prepare`.
   */
  containerEdits(
    pod: Observed<Pod>,
    container: ContainerSpec,
    signal: AbortSignal,
  ): Promise<ContainerEdits | undefined>;
  /** The devices of plugins that a container has. A backend calls `BackendContext.podChanged` when the health of one has changed. */
  given(podUid: string, container: string): readonly GivenDevice[];
  /** The claims that a container refers to, once they are prepared. A backend calls `BackendContext.podChanged` when the health of one of their devices has changed. */
  claimed(pod: Observed<Pod>, container: ContainerSpec): readonly ContainerClaim[];
  /** The healthy devices of all plugins, in use or not. */
  givable(): readonly GivenDevice[];
  /** The uids of pods that have devices, also those of an earlier run of the agent. */
  podUids(): readonly string[];
  /** Releases the devices of a pod whose containers have stopped. */
  unprepare(podUid: string): Promise<void>;
  /** The resources that devices add to those of the machine at this moment. */
  resources(): DeviceResources;
}

/** For machines without devices. */
export const NO_DEVICES: NodeDevices = {
  admit: async () => undefined,
  prepare: async () => NO_EDITS,
  containerEdits: async () => undefined,
  given: () => [],
  claimed: () => [],
  givable: () => [],
  podUids: () => [],
  unprepare: async () => undefined,
  resources: () => NO_RESOURCES,
};
const NO_RESOURCES: DeviceResources = { capacity: {}, allocatable: {} };
