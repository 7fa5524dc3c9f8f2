import { Backoff, type Clock, type Logger, messageOf, type Random } from '../base/index.ts';
import { GrpcError, goErrorText, type SocketCallOptions, SocketCalls } from '../wire/grpc/index.ts';
import type { Plugin, PluginHandler } from './plugin-handler.ts';
import { Registration } from './protocol/plugin-registration-v1.ts';

const INFO_MS = 1000;
const NOTIFY_MS = 5000;
const MAX_INFO_BYTES = 64 * 1024;
const MAX_NAME = 256;
const BACKOFF = { initialMs: 500, capMs: 122_000 };

export interface PluginRegistrationParts {
  readonly handlers: readonly PluginHandler[];
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
  /** The plugin is registered from now on; called with undefined when it is no longer. */
  changed(plugin: Plugin | undefined): void;
}

/** Registers the plugin behind one socket, with retries, and deregisters it when the socket is gone. */
export class PluginRegistration {
  readonly #socket: string;
  readonly #parts: PluginRegistrationParts;
  #registered: { readonly plugin: Plugin; readonly handler: PluginHandler } | undefined;

  constructor(socket: string, parts: PluginRegistrationParts) {
    this.#socket = socket;
    this.#parts = parts;
  }

  /** Ends when the plugin is registered, or when the signal aborts. */
  async register(signal: AbortSignal): Promise<void> {
    const { clock, random, log } = this.#parts;
    const backoff = new Backoff(BACKOFF, random);
    while (!signal.aborted) {
      try {
        await this.#attempt(signal);
        return;
      } catch (error) {
        if (signal.aborted) return;
        const retryAfterMs = backoff.nextMs();
        log.warn('plugin is not registered', { socket: this.#socket, error: messageOf(error), retryAfterMs });
        await clock.sleep(retryAfterMs, signal);
      }
    }
  }

  /** The socket is gone. */
  async deregister(): Promise<void> {
    const registered = this.#registered;
    if (registered === undefined) return;
    this.#registered = undefined;
    this.#parts.changed(undefined);
    const { plugin, handler } = registered;
    try {
      await handler.deregister(plugin);
    } catch (error) {
      this.#parts.log.warn('plugin is not deregistered', { plugin: plugin.name, error: messageOf(error) });
    }
  }

  async #attempt(signal: AbortSignal): Promise<void> {
    const { clock, random, log } = this.#parts;
    const socket = this.#socket;
    await using calls = new SocketCalls({
      ...{ clock, random, log },
      endpoint: `unix://${socket}`,
      server: 'the plugin',
      maxMessageBytes: MAX_INFO_BYTES,
    });
    const info = await calls.call(Registration.getInfo, {}, { signal, timeoutMs: INFO_MS }).catch((error: unknown) => {
      const words = `RegisterPlugin error -- failed to get plugin info using RPC GetInfo at socket ${socket}`;
      throw new Error(`${words}, err: ${callError(error)}`, { cause: error });
    });
    const { type = '', name = '', endpoint = '', supportedVersions: versions = [] } = info;
    const plugin = { type, name, endpoint: endpoint === '' ? socket : endpoint, versions, socket };
    const notify = { signal, timeoutMs: NOTIFY_MS };
    const handler = this.#parts.handlers.find((each) => each.type === type);
    if (handler === undefined) {
      const problem = `RegisterPlugin error -- no handler registered for plugin type: ${type} at socket ${socket}`;
      return await refuse(calls, problem, notify);
    }
    try {
      if (name.length > MAX_NAME) throw new Error(`the name of the plugin has more than ${MAX_NAME} characters`);
      await handler.validate(plugin);
    } catch (error) {
      return await refuse(
        calls,
        `RegisterPlugin error -- plugin validation failed with err: ${messageOf(error)}`,
        notify,
      );
    }
    this.#registered = { plugin, handler }; // before it is, so that a socket that goes meanwhile is deregistered
    try {
      await handler.register(plugin, signal);
    } catch (error) {
      this.#registered = undefined;
      const problem = `RegisterPlugin error -- plugin registration failed with err: ${messageOf(error)}`;
      return await refuse(calls, problem, notify);
    }
    try {
      await calls.call(Registration.notifyRegistrationStatus, { pluginRegistered: true, error: '' }, notify);
    } catch (error) {
      if (!signal.aborted) await this.deregister();
      const words = `RegisterPlugin error -- failed to send registration status at socket ${socket}`;
      throw new Error(`${words}, err: ${callError(error)}`, { cause: error });
    }
    this.#parts.changed(plugin);
  }
}

/** Sends the plugin the reason, and throws it. */
async function refuse(calls: SocketCalls, problem: string, options: SocketCallOptions): Promise<never> {
  await calls
    .call(Registration.notifyRegistrationStatus, { pluginRegistered: false, error: problem }, options)
    .catch((error: unknown) => {
      throw new Error(`${problem}: ${callError(error)}`, { cause: error });
    });
  throw new Error(problem);
}

function callError(error: unknown): string {
  return error instanceof GrpcError ? goErrorText(error) : messageOf(error);
}
