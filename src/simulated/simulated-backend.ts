import type { Observed, Pod } from '../client/index.ts';
import {
  type ContainerEdits,
  type DeviceEdits,
  NO_DEVICES,
  NO_EDITS,
  type NodeBackend,
  type NodeDevices,
  type OpenNodeBackend,
  type OpenVolumeDrivers,
  type PodClaim,
  type PodFiles,
  podFolder,
  UNLIMITED,
} from '../node/index.ts';
import { PodAddresses } from './pod-addresses.ts';
import { SandboxRegistry } from './sandbox-registry.ts';
import { ScriptedActions } from './scripted-actions.ts';
import { ScriptedLogs } from './scripted-logs.ts';
import { SimulatedImages } from './simulated-images.ts';
import { FOLDERS, simulatedMachine, type SimulatedMachineOptions } from './simulated-machine.ts';
import { SimulatedRuntime } from './simulated-runtime.ts';
import { simulatedVolumes } from './simulated-volumes.ts';
import { UsageMeter } from './usage-meter.ts';

export interface SimulatedBackendOptions extends SimulatedMachineOptions {
  /** How many bytes of images fit on the node; default any number. */
  readonly imageDiskBytes?: number;
  /** Mounts volumes of drivers from outside, such as those of CSI drivers that a test runs; default none. */
  readonly volumeDrivers?: OpenVolumeDrivers;
}

/** A backend without containers: everything starts at once, and follows the annotations of pods. */
export function simulatedBackend(options: SimulatedBackendOptions = {}): OpenNodeBackend {
  const others = simulatedVolumes((options.folders ?? FOLDERS).root); // all nodes share it: it keeps nothing
  return async (node, context) => {
    const { clock, random, content } = context;
    const machine = simulatedMachine(node, options);
    const drivers = await options.volumeDrivers?.(node, context);
    const registry = new SandboxRegistry(clock, { disk: drivers?.root });
    const images = new SimulatedImages(clock, { diskBytes: options.imageDiskBytes });
    const logs = new ScriptedLogs(clock, (id) => registry.container(id));
    const usage = new UsageMeter(clock, registry);
    const version = machine.kubeletVersion.replace(/^v/, '');
    const addresses = new PodAddresses(node.podCidrs);
    const parts = { clock, random, addresses, version, machine, registry, images, logs, usage, content };
    const runtime = new SimulatedRuntime(parts);
    return {
      machine,
      runtime,
      images,
      volumes: [...(drivers?.plugins ?? []), others],
      files: simulatedFiles(machine.folders.root, registry),
      devices: simulatedNodeDevices,
      resources: UNLIMITED,
      logs,
      actions: new ScriptedActions(clock, registry),
      usage: { read: async (pods, object) => usage.of(pods, object) },
      polling: drivers === undefined ? NO_POLLING : DRIVER_POLLING,
      meter: undefined,
      tasks: drivers?.tasks ?? [],
      podUpdated: (pod) => runtime.podUpdated(pod),
      async [Symbol.asyncDispose]() {
        registry[Symbol.dispose]();
        await drivers?.[Symbol.asyncDispose]();
      },
    } satisfies NodeBackend;
  };
}

/** Events of the simulated runtime are never lost, and its nodes are always healthy. */
const NO_POLLING = { relistEvery: undefined, checkEvery: undefined };

/** Volumes that a driver could not take away are tried again when containers are listed. */
const DRIVER_POLLING = { relistEvery: 60_000, checkEvery: undefined };

/** There is no disk. Termination messages are read from the containers. */
function simulatedFiles(root: string, registry: SandboxRegistry): PodFiles {
  return {
    write: async () => undefined,
    read: async (path, maxBytes) => {
      const [uid = '', folder, name, attempt] = path.slice(podFolder(root, '').length).split('/');
      if (!path.startsWith(podFolder(root, '')) || folder !== 'containers') return undefined;
      const containers = registry.sandboxOfPod(uid)?.containers ?? [];
      const found = containers.find((each) => each.name === name && each.attempt === Number(attempt));
      return found?.terminationMessage?.subarray(-maxBytes);
    },
    pods: async () => [],
    removePod: async () => undefined,
  };
}

/** Accepts the devices of every driver: containers get the names of the devices that are allocated to their claims. */
const simulatedNodeDevices: NodeDevices = {
  ...NO_DEVICES,
  prepare: async (pod, claims) => (claims.length === 0 ? NO_EDITS : editsOf(pod, claims)),
};

function editsOf({ spec }: Observed<Pod>, claims: readonly PodClaim[]): DeviceEdits {
  const containers = [...(spec?.initContainers ?? []), ...(spec?.containers ?? [])];
  return new Map(
    containers.flatMap(({ name, resources }): [string, ContainerEdits][] => {
      const cdiDevices = (resources?.claims ?? []).flatMap((wanted) => {
        const { claim } = claims.find((each) => each.name === wanted.name) ?? {};
        const results = claim?.status?.allocation?.devices?.results ?? [];
        const chosen = results.filter(({ request }) => wanted.request === undefined || request === wanted.request);
        return chosen.map(({ driver, pool, device }) => `${driver}/device=${pool}-${device}`);
      });
      return cdiDevices.length === 0
        ? []
        : [[name, { envs: [], mounts: [], devices: [], cdiDevices, annotations: {} }]];
    }),
  );
}
