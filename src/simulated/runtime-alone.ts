import { type Clock, keelsonVersion, type Random } from '../base/index.ts';
import type { ContainerLogs, ImageService, PodContent, RuntimeService } from '../node/index.ts';
import { PodAddresses } from './pod-addresses.ts';
import { SandboxRegistry } from './sandbox-registry.ts';
import { ScriptedLogs } from './scripted-logs.ts';
import { fullImageName, SimulatedImages, type StatedImage } from './simulated-images.ts';
import { FOLDERS, simulatedMachine } from './simulated-machine.ts';
import { SIMULATED, SimulatedRuntime } from './simulated-runtime.ts';
import { UsageMeter } from './usage-meter.ts';

export interface SimulatedRuntimeAloneOptions {
  readonly clock: Clock;
  readonly random: Random;
  /** The ranges of pod addresses: at most one of each IP family. */
  readonly podCidrs: readonly string[];
  /** What is known of images, by name. */
  readonly images?: Readonly<Record<string, StatedImage>>;
  /** The folder of the agent, with the volumes of pods; default `/var/lib/kubelet`. */
  readonly root?: string;
  /** The content at a path of the machine that a container mounts; default nothing. */
  readonly content?: (path: string) => Promise<PodContent | undefined>;
}

/** The simulated runtime without a node. */
export interface SimulatedRuntimeAlone extends Disposable {
  readonly runtime: RuntimeService;
  readonly images: ImageService;
  readonly logs: ContainerLogs;
  /** New pods get addresses of these ranges. */
  usePodCidrs(podCidrs: readonly string[]): void;
  terminationMessage(containerId: string): Uint8Array | undefined;
}

/** The simulated runtime alone, for an agent of another process. */
export function simulatedRuntimeAlone(options: SimulatedRuntimeAloneOptions): SimulatedRuntimeAlone {
  const {
    clock,
    random,
    podCidrs,
    images: stated = {},
    root = FOLDERS.root,
    content = async () => undefined,
  } = options;
  const machine = simulatedMachine({ name: SIMULATED, addresses: [] }, { folders: { ...FOLDERS, root } });
  const addresses = new PodAddresses(podCidrs);
  const registry = new SandboxRegistry(clock, { sharesMachine: false });
  const images = new SimulatedImages(clock, {
    stated: new Map(Object.entries(stated).map(([name, image]) => [fullImageName(name), image])),
  });
  const logs = new ScriptedLogs(clock, (id) => registry.container(id));
  const usage = new UsageMeter(clock, registry);
  const version = keelsonVersion();
  const parts = {
    clock,
    random,
    addresses,
    version,
    machine,
    registry,
    images,
    logs,
    usage,
    content,
    readsMachine: true,
  };
  const runtime = new SimulatedRuntime(parts);
  return {
    runtime,
    images,
    logs,
    usePodCidrs: (cidrs) => {
      const networks = registry.listSandboxes({}).map(({ network }) => network);
      addresses.use(
        cidrs,
        networks.flatMap(({ ip, additionalIps }) => [ip, ...additionalIps]),
      );
    },
    terminationMessage: (id) => registry.findContainer(id)?.terminationMessage,
    [Symbol.dispose]: () => registry[Symbol.dispose](),
  };
}
