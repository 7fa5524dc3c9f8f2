import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { aborted, CryptoRandom, keepAlive, type Logger, RealClock, type Runnable } from '../../base/index.ts';
import { type Client, connect } from '../../client/index.ts';
import { servePluginSocket } from '../../plugins/index.ts';
import { GrpcServer, removeStaleSocket } from '../../wire/grpc/index.ts';
import { type ClaimWork, DraClaims } from './dra-claims.ts';
import { DRA_SERVICES, draMethods } from './dra-methods.ts';
import type { DevicePools } from './dra-pools.ts';
import { SlicePublisher } from './dra-slices.ts';

/** A DRA driver that is served to its node. */
export interface ServedDraDriver extends Runnable {
  /** Resolves when the node has registered the driver, and its devices are published, for the first time. */
  ready(): Promise<void>;
}

export interface DraRunParts {
  readonly name: string;
  readonly pools: DevicePools;
  readonly work: ClaimWork;
  /** Default the cluster that kubectl uses, or that of the pod. */
  readonly client: Client | undefined;
  readonly nodeName: string;
  readonly kubeletDir: string;
  readonly cdiDir: string;
  readonly log: Logger;
}

const FOLDER_MODE = 0o750;

/** Serves a driver at a socket of its own, registers it with the agent of its node, and publishes its devices. */
export class DraRun implements ServedDraDriver {
  readonly #parts: DraRunParts;
  readonly #registered: Promise<void>;
  readonly #published: Promise<void>;
  #hasRegistered: () => void = () => undefined;
  #hasPublished: () => void = () => undefined;

  constructor(parts: DraRunParts) {
    this.#parts = parts;
    this.#registered = new Promise<void>((resolve) => (this.#hasRegistered = resolve));
    this.#published = new Promise<void>((resolve) => (this.#hasPublished = resolve));
  }

  async ready(): Promise<void> {
    await Promise.all([this.#registered, this.#published]);
  }

  /** Slices and prepared claims stay when it ends, as for an update of the driver: the node removes the slices of a driver that does not come back. */
  async run(signal: AbortSignal): Promise<void> {
    const { name, pools, work, nodeName, kubeletDir, cdiDir, log } = this.#parts;
    const clock = new RealClock();
    await using own = this.#parts.client === undefined ? await connect({ userAgent: name }) : undefined;
    const client = this.#parts.client ?? own;
    if (client === undefined) return;
    const folder = join(kubeletDir, 'plugins', name);
    const registry = join(kubeletDir, 'plugins_registry');
    for (const path of [folder, registry]) await mkdir(path, { recursive: true, mode: FOLDER_MODE });
    using _alive = keepAlive();
    const ending = new AbortController();
    const parts = { client, driver: name, node: nodeName, pools };
    const claims = await DraClaims.open({ ...parts, work, folder, cdiDir, signal: ending.signal });
    const endpoint = join(folder, 'dra.sock');
    await removeStaleSocket(endpoint);
    const methods = draMethods({ claims, pools, node: nodeName, clock, ending: ending.signal });
    await using _server = await GrpcServer.listen({ address: `unix:${endpoint}`, methods, clock, log });
    using _streams = { [Symbol.dispose]: () => ending.abort() };
    await using _registration = await servePluginSocket({
      ...{ socket: join(registry, `${name}-reg.sock`), type: 'DRAPlugin', name, endpoint, versions: DRA_SERVICES },
      ...{ clock, log },
      notified: ({ isRegistered, error }) => {
        if (!isRegistered) return log.warn('the node refuses the DRA driver', { driver: name, error });
        log.info('DRA driver is registered', { driver: name });
        this.#hasRegistered();
      },
    });
    log.info('DRA driver waits for the node to register it', { driver: name, folder: registry });
    const publisher = new SlicePublisher({
      ...{ ...parts, clock, random: new CryptoRandom(), log },
      published: () => this.#hasPublished(),
    });
    await Promise.race([this.#registered, aborted(signal)]); // pods that are scheduled before would fail first
    await publisher.run(signal);
  }
}
