import { statfs } from 'node:fs/promises';
import { arch } from 'node:os';
import type {
  Machine,
  MachineDns,
  MachineFolders,
  MachineInfo,
  MachinePressure,
  ResourceTexts,
} from '../../node/index.ts';
import {
  cpuCount,
  hugePages,
  machineInfo,
  mainAddresses,
  memoryFacts,
  processFacts,
  resolverConfig,
} from './machine-facts.ts';

export interface LinuxMachineOptions {
  readonly folders: MachineFolders;
  readonly cgroupDriver: 'cgroupfs' | 'systemd';
  /** Default the addresses of the interface with the default route. */
  readonly addresses?: readonly string[];
  readonly clusterServers: readonly string[];
  readonly clusterDomain: string;
  /** Default `/etc/resolv.conf`; empty for a machine without a resolver. */
  readonly resolvConf?: string;
  readonly maxPods: number;
  /** Set aside for the system and for the agent, besides what evictions keep free. */
  readonly reserved: Readonly<Record<string, number>>;
  readonly kubeletVersion: string;
}

const MEBIBYTE = 1024 * 1024;
/** The kubelet's default thresholds for evictions: free memory in bytes, and free shares of disks. */
const MIN_FREE_MEMORY = 100 * MEBIBYTE;
const MIN_FREE_DISK = 0.1;
const MIN_FREE_PIDS = 0.1;

const ARCHITECTURES: Readonly<Record<string, string>> = { x64: 'amd64', ia32: '386' };

/** The machine that this process runs on. */
export class LinuxMachine implements Machine {
  readonly operatingSystem = 'linux';
  readonly hasPodNetwork = true;
  readonly architecture = ARCHITECTURES[arch()] ?? arch();
  readonly kubeletVersion: string;
  readonly addresses: readonly string[];
  readonly info: MachineInfo;
  readonly capacity: ResourceTexts;
  readonly reserved: ResourceTexts;
  readonly folders: MachineFolders;
  readonly dns: MachineDns;
  readonly cgroupDriver: 'cgroupfs' | 'systemd';

  static async measure(options: LinuxMachineOptions): Promise<LinuxMachine> {
    const { folders, maxPods, resolvConf = '/etc/resolv.conf' } = options;
    const [info, memory, pages, disk, addresses] = await Promise.all([
      machineInfo(),
      memoryFacts(),
      hugePages(),
      statfs(folders.root),
      options.addresses ?? mainAddresses(),
    ]);
    const diskBytes = disk.blocks * disk.bsize;
    const capacity = {
      cpu: String(cpuCount()),
      memory: `${Math.trunc(memory.total / 1024)}Ki`,
      'ephemeral-storage': `${Math.trunc(diskBytes / 1024)}Ki`,
      pods: String(maxPods),
      ...pages,
    };
    const reserved = reservedOf(options.reserved, diskBytes);
    const resolver = resolvConf === '' ? { servers: [], searches: [], options: [] } : await resolverConfig(resolvConf);
    return new LinuxMachine(options, { info, capacity, reserved, addresses, resolver });
  }

  private constructor(
    { folders, cgroupDriver, kubeletVersion, clusterServers, clusterDomain }: LinuxMachineOptions,
    measured: Pick<LinuxMachine, 'info' | 'capacity' | 'reserved' | 'addresses'> & Pick<MachineDns, 'resolver'>,
  ) {
    this.folders = folders;
    this.cgroupDriver = cgroupDriver;
    this.kubeletVersion = kubeletVersion;
    this.info = measured.info;
    this.capacity = measured.capacity;
    this.reserved = measured.reserved;
    this.addresses = measured.addresses;
    this.dns = { clusterServers, clusterDomain, resolver: measured.resolver };
  }

  async pressure(): Promise<MachinePressure> {
    const [memory, processes, disk] = await Promise.all([memoryFacts(), processFacts(), statfs(this.folders.root)]);
    return {
      memory: memory.available < MIN_FREE_MEMORY,
      disk: disk.bavail < disk.blocks * MIN_FREE_DISK,
      pid: processes.max - processes.running < processes.max * MIN_FREE_PIDS,
    };
  }
}

/** What pods cannot have: what was asked for, and what evictions keep free. */
function reservedOf(asked: Readonly<Record<string, number>>, diskBytes: number): ResourceTexts {
  const kept: Readonly<Record<string, number>> = {
    memory: MIN_FREE_MEMORY,
    'ephemeral-storage': Math.ceil(diskBytes * MIN_FREE_DISK),
  };
  const names = new Set([...Object.keys(asked), ...Object.keys(kept)]);
  const amount = (name: string): string => {
    const sum = (asked[name] ?? 0) + (kept[name] ?? 0);
    return name === 'cpu' ? `${Math.round(sum * 1000)}m` : String(Math.ceil(sum));
  };
  return Object.fromEntries([...names].map((name) => [name, amount(name)]));
}
