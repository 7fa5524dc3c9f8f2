import { join } from 'node:path';
import { RealClock } from '../../base/index.ts';
import type {
  BackendMetrics,
  ContainerEdits,
  DeviceEdits,
  NodeBackend,
  NodeDevices,
  OpenNodeBackend,
  PodClaim,
} from '../../node/index.ts';
import { PluginWatcher } from '../../plugins/index.ts';
import { DiskCheckpoints } from '../../system/index.ts';
import { CdiFolder } from '../cdi/cdi-folder.ts';
import { DraDrivers } from './dra-drivers.ts';
import { nodeSlices } from './node-slices.ts';

export interface WithDraDriversOptions {
  /** The folder that takes the place of `/var/lib/kubelet` for a node. */
  rootOf(node: string): string;
  /** Drivers whose devices the backend has by itself. Those of all others are had from drivers that register. */
  readonly builtIn: ReadonlySet<string>;
}

/** The folder of files of the Container Device Interface below the folder of a node without a container runtime. */
const CDI = 'cdi';
/** Claims that a driver could not unprepare are tried again when containers are listed. */
const RELIST_MS = 60_000;

/**
 * Adds the sockets of DRA drivers to nodes without a container runtime: drivers register in `plugins_registry`, and what CDI files in the folder
 * `cdi` say of devices is added to containers, as a runtime would.
 */
export function withDraDrivers(open: OpenNodeBackend, { rootOf, builtIn }: WithDraDriversOptions): OpenNodeBackend {
  return async (node, context) => {
    const { client, clock, random, log, podChanged } = context;
    const root = rootOf(node.name);
    const driverClock = new RealClock(); // drivers run in real time, whatever time the node has
    const backend = await open(node, context);
    try {
      const drivers = await DraDrivers.open({
        ...{ clock, driverClock, random, log, podChanged, builtIn },
        checkpoints: new DiskCheckpoints(root),
        removeSlices: nodeSlices(client, node.name, { except: builtIn }),
      });
      const watcher = new PluginWatcher({
        ...{ clock: driverClock, random, log },
        folder: join(root, 'plugins_registry'),
        handlers: [drivers.handler],
      });
      const cdi = new CdiFolder(join(root, CDI));
      return {
        ...backend,
        podUpdated: (pod) => backend.podUpdated(pod),
        devices: claimDevices(backend.devices, { drivers, cdi, builtIn }),
        metrics: withDraMetrics(backend.metrics, drivers),
        polling: { ...backend.polling, relistEvery: backend.polling.relistEvery ?? RELIST_MS },
        tasks: [...backend.tasks, watcher, drivers],
        async [Symbol.asyncDispose]() {
          await drivers[Symbol.asyncDispose]();
          await backend[Symbol.asyncDispose]();
        },
      } satisfies NodeBackend;
    } catch (error) {
      await backend[Symbol.asyncDispose]();
      throw error;
    }
  };
}

/** The metrics of a backend with those of DRA drivers. */
export function withDraMetrics(others: BackendMetrics | undefined, drivers: DraDrivers): BackendMetrics {
  return {
    families: () => [...(others?.families() ?? []), ...drivers.metrics.families()],
    pullMs: (uid) => others?.pullMs(uid) ?? 0,
  };
}

interface ClaimParts {
  readonly drivers: DraDrivers;
  readonly cdi: CdiFolder;
  readonly builtIn: ReadonlySet<string>;
}

/** Devices of claims: those of built-in drivers from the backend, all others from drivers. */
function claimDevices(others: NodeDevices, { drivers, cdi, builtIn }: ClaimParts): NodeDevices {
  return {
    ...others,
    async prepare(pod, claims, signal) {
      const own = await others.prepare(
        pod,
        claims.map((each) => withResultsOf(each, builtIn)),
        signal,
      );
      const prepared = await drivers.prepare(pod, claims, signal);
      const explained = new Map<string, ContainerEdits>();
      for (const [container, edits] of prepared) explained.set(container, await cdi.edits(edits.cdiDevices));
      return together(own, prepared, explained);
    },
    claimed: (pod, container) => [...others.claimed(pod, container), ...drivers.claimed(pod, container)],
    podUids: () => [...new Set([...others.podUids(), ...drivers.podUids()])],
    async unprepare(podUid) {
      await drivers.unprepare(podUid);
      await others.unprepare(podUid);
    },
  };
}

/** The claim with the devices of these drivers only. */
function withResultsOf({ name, claim }: PodClaim, drivers: ReadonlySet<string>): PodClaim {
  const { status } = claim;
  const { allocation } = status ?? {};
  if (allocation?.devices?.results === undefined) return { name, claim };
  const results = allocation.devices.results.filter(({ driver }) => drivers.has(driver));
  const devices = { ...allocation.devices, results };
  return { name, claim: { ...claim, status: { ...status, allocation: { ...allocation, devices } } } };
}

function together(...all: readonly DeviceEdits[]): DeviceEdits {
  const merged = new Map<string, ContainerEdits>();
  for (const [container, edits] of all.flatMap((each) => [...each])) {
    const before = merged.get(container);
    merged.set(container, before === undefined ? edits : joined(before, edits));
  }
  return merged;
}

function joined(first: ContainerEdits, then: ContainerEdits): ContainerEdits {
  return {
    envs: [...first.envs, ...then.envs],
    mounts: [...first.mounts, ...then.mounts],
    devices: [...first.devices, ...then.devices],
    cdiDevices: [...new Set([...first.cdiDevices, ...then.cdiDevices])],
    annotations: { ...then.annotations, ...first.annotations },
  };
}
