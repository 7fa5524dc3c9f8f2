import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { Daemon, findPeer } from '../../peers/index.ts';
import { CryptoRandom, discardLogger, RealClock } from '../../src/base/index.ts';
import { CsiClient } from '../../src/csi/index.ts';
import { servePluginSocket } from '../../src/plugins/index.ts';
import { eventually } from '../real-node/eventually.ts';
import { findStorageProgram } from '../real-node/images/storage-programs.ts';

const START_LIMIT_MS = 30_000;

/** Where a driver's process finds its things. */
export interface DriverPlace {
  /** The path of the socket that it serves. */
  readonly socket: string;
  /** An own folder for its data. */
  readonly data: string;
  /** The node that it serves. */
  readonly node: string;
}

/** A storage driver of other people, as a program that runs on the machine itself. */
export interface DriverProgram {
  /** The name that its volumes carry. */
  readonly name: string;
  command(place: DriverPlace): readonly string[];
}

export interface DriverProcessOptions {
  /** The folder of the node's agent, such as `/var/lib/kubelet`. */
  readonly root: string;
  readonly node: string;
  /** Takes the driver's data and log. */
  readonly folder: string;
}

/** The host path driver of the release that the suite deploys, if it is there, else the older peer. */
export function findHostPath(): { readonly path: string; readonly isCurrent: boolean } | { readonly reason: string } {
  const found = findStorageProgram('hostpathplugin');
  if (found?.isOriginal === true) return { path: found.path, isCurrent: true };
  const peer = findPeer('hostpathplugin');
  return peer.path === undefined ? { reason: peer.reason } : { path: peer.path, isCurrent: false };
}

/**
 * The host path driver of Kubernetes' storage group; volumes are folders, and block volumes files behind loop devices. `mutable` is the name
 * of a parameter that can be changed, which releases before 1.15 do not know.
 */
export function hostPathDriver(
  program: string,
  { name = 'hostpath.csi.k8s.io', mutable }: { readonly name?: string; readonly mutable?: string } = {},
): DriverProgram {
  const changes =
    mutable === undefined ? [] : ['--enable-controller-modify-volume', `--accepted-mutable-parameter-names=${mutable}`];
  return {
    name,
    command: ({ socket, data, node }) => [
      program,
      ...[`--drivername=${name}`, `--endpoint=unix://${socket}`, `--nodeid=${node}`, `--statedir=${data}`, '-v=4'],
      ...changes,
    ],
  };
}

/**
 * A driver in a process, registered with the agent of its node, in place of the sidecar node-driver-registrar, which no Go proxy has.
 * It can be killed and started again: its data stays.
 */
export class DriverProcess implements AsyncDisposable {
  readonly socket: string;
  readonly #driver: DriverProgram;
  readonly #place: DriverPlace;
  readonly #logPath: string;
  readonly #registration: AsyncDisposable;
  #daemon: Daemon;

  private constructor(parts: {
    readonly driver: DriverProgram;
    readonly place: DriverPlace;
    readonly logPath: string;
    readonly daemon: Daemon;
    readonly registration: AsyncDisposable;
  }) {
    this.socket = parts.place.socket;
    this.#driver = parts.driver;
    this.#place = parts.place;
    this.#logPath = parts.logPath;
    this.#daemon = parts.daemon;
    this.#registration = parts.registration;
  }

  static async start(driver: DriverProgram, { root, node, folder }: DriverProcessOptions): Promise<DriverProcess> {
    const place = { socket: join(root, 'plugins', driver.name, 'csi.sock'), data: join(folder, 'data'), node };
    const registry = join(root, 'plugins_registry');
    for (const path of [join(root, 'plugins', driver.name), place.data, registry])
      await mkdir(path, { recursive: true });
    const logPath = join(folder, `${driver.name}.log`);
    const daemon = run(driver, place, logPath);
    try {
      await answers(driver, place.socket, daemon);
      const registration = await servePluginSocket({
        socket: join(registry, `${driver.name}-reg.sock`),
        type: 'CSIPlugin',
        name: driver.name,
        endpoint: place.socket,
        versions: ['1.0.0'],
        clock: new RealClock(),
      });
      return new DriverProcess({ driver, place, logPath, daemon, registration });
    } catch (error) {
      await daemon.stop();
      throw error;
    }
  }

  get daemon(): Daemon {
    return this.#daemon;
  }

  /** The folder of its data. */
  get data(): string {
    return this.#place.data;
  }

  /** Kills it, and starts it again. */
  async restart(): Promise<void> {
    process.kill(this.#daemon.pid, 'SIGKILL');
    await this.#daemon.stop();
    this.#daemon = run(this.#driver, this.#place, this.#logPath);
    await answers(this.#driver, this.socket, this.#daemon);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#registration[Symbol.asyncDispose]();
    await this.#daemon.stop();
  }
}

function run(driver: DriverProgram, place: DriverPlace, logPath: string): Daemon {
  const [program = '', ...args] = driver.command(place);
  return new Daemon(program, args, { logPath });
}

/** Waits until the driver says its name. */
async function answers(driver: DriverProgram, address: string, daemon: Daemon): Promise<void> {
  await using client = new CsiClient({
    ...{ address, clock: new RealClock(), random: new CryptoRandom(), log: discardLogger },
  });
  const { name } = await eventually(() => client.identity(), {
    what: `an answer of ${driver.name}`,
    limitMs: START_LIMIT_MS,
    daemons: [daemon],
  });
  if (name !== driver.name) throw new Error(`The driver calls itself "${name}", not "${driver.name}"`);
}
