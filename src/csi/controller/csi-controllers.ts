import { type Clock, type Logger, messageOf, type Random, type Runnable, runTogether } from '../../base/index.ts';
import { type Client, hasReason } from '../../client/index.ts';
import {
  type CapacitySettings,
  groupSnapshotController,
  hasGroupSnapshotKinds,
  hasSnapshotKinds,
  installGroupSnapshotKinds,
  installSnapshotKinds,
  type NodeDeployment,
  snapshotController,
  type SnapshotSettings,
  volumeCapacity,
  type VolumeDriver,
  volumeGroupSnapshotter,
  volumeSidecars,
  volumeSnapshotter,
} from '../../controllers/volume-sidecars/index.ts';
import { type App, app, type HealthSource, type LeaderElectionOptions, type Part } from '../../kit/index.ts';
import { DriverConnection } from './driver-connection.ts';

/** What is done for drivers, and how. */
export interface CsiControllerSettings extends SnapshotSettings {
  /** How long a call of a driver may take; default 15 s. */
  readonly timeoutMs?: number;
  /** Whether places of volumes matter, if the driver says so; default true. */
  readonly hasTopology?: boolean;
  /** Publishes what drivers have free; default not at all. */
  readonly capacity?: CapacitySettings;
  /** Creates the kinds of snapshots where they are missing; default true. */
  readonly installsSnapshotKinds?: boolean;
  /** Also binds the snapshots of all drivers; default true. False where the program snapshot-controller runs. */
  readonly bindsSnapshots?: boolean;
  /** Also takes snapshots of groups of volumes, if the driver can; default false. */
  readonly hasSnapshotGroups?: boolean;
  /** Labels snapshots with the node whose process takes them; default as `nodeName` says. */
  readonly distributesSnapshots?: boolean;
  /** The node whose volumes this process works for, beside one process for each other node; default all nodes. */
  readonly nodeName?: string;
  /** Which claims such a process takes, and when. */
  readonly nodeBinding?: Pick<NodeDeployment, 'isForImmediateBinding' | 'baseDelayMs' | 'maxDelayMs'>;
}

export interface CsiControllersOptions {
  /** Sockets of drivers. */
  readonly addresses: readonly string[];
  readonly settings: CsiControllerSettings;
  /** One of several processes works; default this one does. Each driver has a lease of its own. */
  readonly election?: LeaderElectionOptions | false;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
}

/** Between looks whether the cluster has the kinds of snapshots. */
const KINDS_MS = 10_000;

/** The controllers of one driver, except for those of snapshots, whose kinds a cluster may lack. */
export function driverParts(found: VolumeDriver, settings: CsiControllerSettings): readonly Part[] {
  const { topology, ...features } = found.features ?? {};
  const isPlaced = topology !== undefined && (settings.hasTopology ?? true);
  const driver = { ...found, features: { ...features, ...(isPlaced ? { topology } : {}) } };
  return [
    ...volumeSidecars(driver, settings),
    ...(settings.capacity === undefined
      ? []
      : volumeCapacity(driver, {
          ...settings.capacity,
          ...(settings.node === undefined ? {} : { node: settings.node }),
        })),
  ];
}

/**
 * Runs the controllers of drivers behind sockets. A driver that is away is waited for; one that is replaced by another, or that can do
 * other things than before, gets new controllers.
 */
export class CsiControllers implements Runnable, HealthSource {
  readonly #client: Client;
  readonly #options: CsiControllersOptions;
  readonly #apps = new Set<App>();
  readonly #waiting: Set<string>;

  constructor(client: Client, options: CsiControllersOptions) {
    this.#client = client;
    this.#options = options;
    this.#waiting = new Set(options.addresses);
  }

  async run(signal: AbortSignal): Promise<void> {
    const { addresses, settings } = this.#options;
    const tasks: Runnable[] = addresses.map((address) => ({ run: (scope) => this.#serve(address, scope) }));
    if (settings.bindsSnapshots ?? true) tasks.push({ run: (scope) => this.#bindSnapshots(scope) });
    await runTogether(tasks, signal);
  }

  get unready(): readonly string[] {
    const away = [...this.#waiting].map((address) => `the driver at ${address} is not ready`);
    return [...away, ...[...this.#apps].flatMap(({ unready }) => unready)];
  }

  get registries(): HealthSource['registries'] {
    return [...this.#apps].flatMap(({ registries }) => registries);
  }

  /** Works for the driver at a socket. */
  async #serve(address: string, signal: AbortSignal): Promise<void> {
    const { settings, clock, random, log } = this.#options;
    const { timeoutMs } = settings;
    const limit = timeoutMs === undefined ? {} : { timeoutMs };
    const isOnNode = settings.nodeName !== undefined;
    await using connection = new DriverConnection({ address, clock, random, log, isOnNode, ...limit });
    while (!signal.aborted) {
      this.#waiting.add(address);
      const driver = await connection.driver(signal);
      if (driver === undefined) return;
      this.#waiting.delete(address);
      log.info('working for a CSI driver', { address, driver: driver.name });
      const replaced = new AbortController();
      const scope = AbortSignal.any([signal, replaced.signal]);
      const identity = `${clock.now()}-${random.int(10_000)}-${driver.name}`;
      const own = { identity, ...settings, ...this.#node(connection) };
      const parts = driverParts(driver, own);
      // a driver's processes for nodes share its work, and need no leader
      const lease = settings.nodeName === undefined ? driver.name : undefined;
      const watching = async (until: AbortSignal): Promise<void> => {
        await connection.changed(until);
        replaced.abort();
      };
      await runTogether(
        [
          { run: watching },
          { run: (until) => this.#run(`csi-controller/${driver.name}`, parts, { until, lease }) },
          { run: (until) => this.#takeSnapshots(driver, own, until) },
        ],
        scope,
      );
    }
  }

  /** What a process that works for one node knows of it. */
  #node({ segments }: DriverConnection): { readonly node?: NodeDeployment } {
    const { nodeName, nodeBinding = {} } = this.#options.settings;
    return nodeName === undefined ? {} : { node: { nodeName, segments, ...nodeBinding } };
  }

  async #takeSnapshots(driver: VolumeDriver, settings: CsiControllerSettings, until: AbortSignal): Promise<void> {
    const groups = settings.hasSnapshotGroups === true ? volumeGroupSnapshotter(driver, settings) : [];
    const parts = [...volumeSnapshotter(driver, settings), ...groups];
    if (parts.length === 0 || !(await this.#snapshotKinds(until))) return;
    const lease = settings.node === undefined ? `external-snapshotter-leader-${driver.name}` : undefined;
    await this.#run(`csi-snapshotter/${driver.name}`, parts, { until, lease });
  }

  async #bindSnapshots(until: AbortSignal): Promise<void> {
    if (!(await this.#snapshotKinds(until))) return;
    const { hasSnapshotGroups: hasGroups = false, nodeName, distributesSnapshots } = this.#options.settings;
    const isDistributed = distributesSnapshots ?? nodeName !== undefined;
    const parts = [
      ...snapshotController({ hasGroups, isDistributed }),
      ...(hasGroups ? groupSnapshotController() : []),
    ];
    await this.#run('snapshot-controller', parts, { until, lease: 'snapshot-controller-leader' });
  }

  /** Waits until the cluster has the kinds of snapshots, and those of groups if they are asked for; false if the signal aborts before. */
  async #snapshotKinds(signal: AbortSignal): Promise<boolean> {
    const { settings, clock, log } = this.#options;
    let isInstalling = settings.installsSnapshotKinds ?? true;
    const hasGroups = settings.hasSnapshotGroups ?? false;
    for (let isFirst = true; !signal.aborted; isFirst = false) {
      try {
        const hasKinds = await hasSnapshotKinds(this.#client, signal);
        if (hasKinds && (!hasGroups || (await hasGroupSnapshotKinds(this.#client, signal)))) return true;
        if (isInstalling) {
          await installSnapshotKinds(this.#client, signal);
          if (hasGroups) await installGroupSnapshotKinds(this.#client, signal);
          isInstalling = false;
          await clock.sleep(100, signal);
          continue;
        }
        if (isFirst) log.info('the cluster has no kinds of snapshots yet');
      } catch (error) {
        if (signal.aborted) break;
        if (hasReason(error, 'Forbidden')) isInstalling = false;
        if (isFirst) log.warn('cannot find or install the kinds of snapshots', { reason: messageOf(error) });
      }
      await clock.sleep(KINDS_MS, signal);
    }
    return false;
  }

  async #run(
    name: string,
    parts: readonly Part[],
    { until, lease }: { readonly until: AbortSignal; readonly lease: string | undefined },
  ): Promise<void> {
    const { election = false } = this.#options;
    const isElected = election !== false && lease !== undefined;
    const running = app(name, parts, {
      leaderElection: isElected ? { ...election, name: lease.replaceAll('/', '-') } : false,
    });
    this.#apps.add(running);
    try {
      await running.run(this.#client, until);
    } finally {
      this.#apps.delete(running);
    }
  }
}
