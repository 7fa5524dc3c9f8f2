import { lstat } from 'node:fs/promises';
import { join } from 'node:path';
import {
  CryptoRandom,
  FolderChanges,
  keepAlive,
  type Logger,
  messageOf,
  RealClock,
  type Runnable,
} from '../../base/index.ts';
import { GrpcServer, removeStaleSocket, type ServedMethod, SocketCalls } from '../../wire/grpc/index.ts';
import type { MessageOf } from '../../wire/protobuf/index.ts';
import { type devicePluginOptions, Registration } from '../protocol/device-plugin-v1beta1.ts';

/** A device plugin that is served on its socket. */
export interface ServedDevicePlugin extends Runnable {
  /** Resolves when the plugin has registered for the first time. */
  registered(): Promise<void>;
}

export interface PluginRunParts {
  readonly resource: string;
  /** The streams of these methods end when the signal aborts. */
  methods(ending: AbortSignal): readonly ServedMethod[];
  readonly options: MessageOf<typeof devicePluginOptions>;
  readonly kubeletDir: string;
  readonly log: Logger;
}

const VERSION = 'v1beta1';
/** How often the folder is looked at beside following its changes. */
const LOOK_MS = 1000;
const RETRY_MS = 500;
const REGISTER_MS = 15_000;

/** Serves a plugin at a socket of its own, and registers it with each new agent of the node. */
export class PluginRun implements ServedDevicePlugin {
  readonly #parts: PluginRunParts;
  readonly #clock = new RealClock();
  readonly #folder: string;
  /** The name of the plugin's socket in the folder. */
  readonly #endpoint: string;
  readonly #registered: Promise<void>;
  #hasRegistered: () => void = () => undefined;

  constructor(parts: PluginRunParts) {
    this.#parts = parts;
    this.#folder = join(parts.kubeletDir, 'device-plugins');
    this.#endpoint = `${parts.resource.replace('/', '_')}.sock`;
    this.#registered = new Promise((resolve) => (this.#hasRegistered = resolve));
  }

  registered(): Promise<void> {
    return this.#registered;
  }

  async run(signal: AbortSignal): Promise<void> {
    using _alive = keepAlive(); // nothing else does while there is no agent
    const { log, resource } = this.#parts;
    log.info('device plugin waits for the agent of the node', { resource, folder: this.#folder });
    while (!signal.aborted) {
      const kubelet = await this.#await(() => identity(join(this.#folder, 'kubelet.sock')), signal);
      if (kubelet === undefined) return;
      try {
        await this.#serve(kubelet, signal);
      } catch (error) {
        if (signal.aborted) return;
        log.warn('device plugin cannot be registered yet', { resource, error: messageOf(error) });
        await this.#clock.sleep(RETRY_MS, signal);
      }
    }
  }

  /** Registers with one agent; returns when there is another one, or when the plugin's socket was removed. */
  async #serve(kubelet: string, signal: AbortSignal): Promise<void> {
    const { log, resource } = this.#parts;
    const own = join(this.#folder, this.#endpoint);
    await removeStaleSocket(own);
    const clock = this.#clock;
    const ending = new AbortController();
    const methods = this.#parts.methods(ending.signal);
    await using _server = await GrpcServer.listen({ address: `unix:${own}`, methods, clock, log });
    using _streams = { [Symbol.dispose]: () => ending.abort() };
    const served = await identity(own);
    await this.#register(signal);
    log.info('device plugin is registered', { resource });
    this.#hasRegistered();
    await this.#await(async () => {
      const isSame =
        (await identity(join(this.#folder, 'kubelet.sock'))) === kubelet && (await identity(own)) === served;
      return isSame ? undefined : 'changed';
    }, signal);
  }

  async #register(signal: AbortSignal): Promise<void> {
    const { resource, options, log } = this.#parts;
    const endpoint = `unix://${join(this.#folder, 'kubelet.sock')}`;
    const random = new CryptoRandom();
    await using calls = new SocketCalls({ endpoint, server: "the node's agent", clock: this.#clock, random, log });
    const request = { version: VERSION, endpoint: this.#endpoint, resourceName: resource, options };
    await calls.call(Registration.register, request, { timeoutMs: REGISTER_MS, signal });
  }

  /** Looks until there is a result; undefined when the signal aborts first. */
  async #await(look: () => Promise<string | undefined>, signal: AbortSignal): Promise<string | undefined> {
    using changes = new FolderChanges(this.#folder, { clock: this.#clock, maxWaitMs: LOOK_MS });
    while (!signal.aborted) {
      const found = await look();
      if (found !== undefined) return found;
      await changes.next(signal);
    }
    return undefined;
  }
}

/** Differs for a socket that was removed and made again; undefined when there is none. */
async function identity(path: string): Promise<string | undefined> {
  try {
    const { ino, ctimeMs } = await lstat(path);
    return `${ino} ${ctimeMs}`;
  } catch {
    return undefined; // no agent runs, or it has not opened its socket yet
  }
}
