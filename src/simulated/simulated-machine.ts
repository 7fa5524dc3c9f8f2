import { createHash } from 'node:crypto';
import {
  type Machine,
  type MachineFolders,
  type MachineInfo,
  type MachinePressure,
  type NodeSettings,
  READY_RUNTIME,
  type ResourceTexts,
  type RuntimeStatus,
} from '../node/index.ts';

/** What the simulated runtime can do: there is no kernel whose users could be shared or kept apart. */
export const SIMULATED_STATUS: RuntimeStatus = {
  ...READY_RUNTIME,
  runtimeHandlers: [{ name: '', features: { recursiveReadOnlyMounts: false, userNamespaces: true } }],
};

/** The default capacity of a simulated node. */
export const DEFAULT_CAPACITY: ResourceTexts = {
  cpu: '8',
  'ephemeral-storage': '100Gi',
  'hugepages-1Gi': '0',
  'hugepages-2Mi': '0',
  memory: '16Gi',
  pods: '110',
};

const DEFAULT_KUBELET_VERSION = 'v1.36.3+keelson';

export interface SimulatedMachineOptions {
  /** Added to `DEFAULT_CAPACITY`; overrides it for the same resource. */
  readonly capacity?: ResourceTexts;
  /** The part of the capacity that is not available to pods; default none. */
  readonly reserved?: ResourceTexts;
  /** The version that nodes report; default `v1.36.3+keelson`. */
  readonly kubeletVersion?: string;
  /** In Go's spelling; default `amd64`. */
  readonly architecture?: string;
  /** Folders on the machine; default those of a kubelet, which are not looked at. */
  readonly folders?: MachineFolders;
}

export const FOLDERS = { root: '/var/lib/kubelet', podLogs: '/var/log/pods' };
const DNS = { clusterServers: [], clusterDomain: 'cluster.local', resolver: undefined };
const AT_EASE: MachinePressure = { memory: false, disk: false, pid: false };

/** A machine with the given capacity that never runs out of resources. */
export function simulatedMachine(
  { name, addresses }: Pick<NodeSettings, 'name' | 'addresses'>,
  options: SimulatedMachineOptions,
): Machine {
  const { kubeletVersion = DEFAULT_KUBELET_VERSION, architecture = 'amd64', reserved = {} } = options;
  return {
    operatingSystem: 'linux',
    architecture,
    kubeletVersion,
    addresses,
    hasPodNetwork: false,
    get info() {
      return infoOf(name);
    },
    capacity: options.capacity === undefined ? DEFAULT_CAPACITY : { ...DEFAULT_CAPACITY, ...options.capacity },
    reserved,
    folders: options.folders ?? FOLDERS,
    dns: DNS,
    cgroupDriver: 'cgroupfs',
    pressure: async () => AT_EASE,
  };
}

function infoOf(name: string): MachineInfo {
  return {
    machineID: digest(`machine ${name}`),
    systemUUID: uuid(digest(`system ${name}`)),
    bootID: uuid(digest(`boot ${name}`)),
    kernelVersion: '6.12.0-simulated',
    osImage: 'Keelson simulated node',
  };
}

/** Derived from the name, so that a restarted node is the same machine. */
function digest(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 32);
}

function uuid(hex: string): string {
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join('-');
}
