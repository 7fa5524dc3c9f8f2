import { statfs } from 'node:fs/promises';
import { arch } from 'node:os';
import { join } from 'node:path';
import { binary, type MachineTopology } from '../../assignment/index.ts';
import {
  DEFAULT_RULES,
  KUBEPODS,
  type Machine,
  type MachineDns,
  type MachineFolders,
  type MachineInfo,
  type MachinePressure,
  type PodCgroupPlace,
  type ResourceRules,
  type ResourceTexts,
} from '../../node/index.ts';
import { hugePageCapacity, machineInfo, memoryFacts, processFacts, resolverConfig } from './machine-facts.ts';
import { hugePagesIn, readTopology } from './read-topology.ts';
import { type ReservationOptions, reservedResources, thresholdAmount } from './reserved-resources.ts';

export interface LinuxMachineOptions extends ReservationOptions {
  readonly folders: MachineFolders;
  readonly cgroupDriver: 'cgroupfs' | 'systemd';
  readonly addresses: readonly string[];
  readonly clusterServers: readonly string[];
  readonly clusterDomain: string;
  /** Default `/etc/resolv.conf`; empty for a machine without a resolver. */
  readonly resolvConf?: string;
  readonly maxPods: number;
  /** Limits the pods by the number of processors; 0 for no such limit, which is the default. */
  readonly podsPerCore?: number;
  readonly kubeletVersion: string;
  readonly podCgroups?: PodCgroupPlace;
  readonly resourceRules?: ResourceRules;
  /** Where the machine's files are read from; default `/`. */
  readonly hostRoot?: string;
}

const ARCHITECTURES: Readonly<Record<string, string>> = { x64: 'amd64', ia32: '386' };

/** What is measured once, when the machine is opened. */
interface Measured {
  readonly info: MachineInfo;
  readonly topology: MachineTopology;
  readonly capacity: ResourceTexts;
  readonly maxProcesses: number;
  readonly pageSizes: readonly number[];
  readonly resolver: MachineDns['resolver'];
}

/** The machine that this process runs on. */
export class LinuxMachine implements Machine {
  readonly operatingSystem = 'linux';
  readonly hasPodNetwork = true;
  readonly architecture = ARCHITECTURES[arch()] ?? arch();
  readonly kubeletVersion: string;
  readonly addresses: readonly string[];
  readonly info: MachineInfo;
  readonly topology: MachineTopology;
  readonly capacity: ResourceTexts;
  readonly reserved: ResourceTexts;
  /** The most processes that the machine can run. */
  readonly maxProcesses: number;
  /** Sizes of the machine's huge pages in bytes. */
  readonly pageSizes: readonly number[];
  readonly podCgroups: PodCgroupPlace;
  readonly resourceRules: ResourceRules;
  readonly folders: MachineFolders;
  readonly dns: MachineDns;
  readonly cgroupDriver: 'cgroupfs' | 'systemd';
  readonly #options: LinuxMachineOptions;
  readonly #measured: Measured;

  static async measure(options: LinuxMachineOptions): Promise<LinuxMachine> {
    const { folders, resolvConf = '/etc/resolv.conf', hostRoot = '/' } = options;
    const [info, memory, pages, disk, topology, processes] = await Promise.all([
      machineInfo(hostRoot),
      memoryFacts(hostRoot),
      hugePagesIn(join(hostRoot, 'sys/kernel/mm/hugepages')),
      statfs(folders.root),
      readTopology(join(hostRoot, 'sys')),
      processFacts(hostRoot),
    ]);
    const cpus = topology.processors.length;
    if (cpus === 0) throw new Error(`Cannot measure the machine: no processors in ${hostRoot}sys/devices/system/cpu`);
    const capacity = {
      cpu: String(cpus),
      memory: binary(memory.total),
      'ephemeral-storage': binary(disk.blocks * disk.bsize),
      pods: String(podCapacity(options, cpus)),
      ...hugePageCapacity(pages),
    };
    const pageSizes = [...pages.keys()].map((kibibytes) => kibibytes * 1024);
    const resolver = resolvConf === '' ? { servers: [], searches: [], options: [] } : await resolverConfig(resolvConf);
    return new LinuxMachine(options, { info, topology, capacity, maxProcesses: processes.max, pageSizes, resolver });
  }

  private constructor(options: LinuxMachineOptions, measured: Measured) {
    const { folders, cgroupDriver, kubeletVersion, addresses, clusterServers, clusterDomain } = options;
    this.#options = options;
    this.#measured = measured;
    this.pageSizes = measured.pageSizes;
    this.podCgroups = options.podCgroups ?? KUBEPODS;
    this.resourceRules = options.resourceRules ?? DEFAULT_RULES;
    this.folders = folders;
    this.cgroupDriver = cgroupDriver;
    this.kubeletVersion = kubeletVersion;
    this.addresses = addresses;
    this.info = measured.info;
    this.topology = measured.topology;
    this.capacity = measured.capacity;
    this.maxProcesses = measured.maxProcesses;
    this.reserved = reservedResources(measured.capacity, options);
    this.dns = { clusterServers, clusterDomain, resolver: measured.resolver };
  }

  /** The same machine, with the rules by which its pods are limited. */
  limited(resourceRules: ResourceRules, podCgroups: PodCgroupPlace): LinuxMachine {
    return new LinuxMachine({ ...this.#options, resourceRules, podCgroups }, this.#measured);
  }

  async pressure(): Promise<MachinePressure> {
    const { evictionHard, hostRoot } = this.#options;
    const [memory, processes, disk] = await Promise.all([
      memoryFacts(hostRoot),
      processFacts(hostRoot),
      statfs(this.folders.root),
    ]);
    const isBelow = (signal: string, available: number, whole: number): boolean => {
      const threshold = evictionHard[signal];
      return threshold !== undefined && available < thresholdAmount(threshold, whole);
    };
    return {
      memory: isBelow('memory.available', memory.available, memory.total),
      disk:
        isBelow('nodefs.available', disk.bavail * disk.bsize, disk.blocks * disk.bsize) ||
        isBelow('nodefs.inodesFree', disk.ffree, disk.files),
      pid: isBelow('pid.available', processes.max - processes.running, processes.max),
    };
  }
}

function podCapacity({ maxPods, podsPerCore = 0 }: LinuxMachineOptions, cpus: number): number {
  return podsPerCore > 0 ? Math.min(cpus * podsPerCore, maxPods) : maxPods;
}
