import { join } from 'node:path';
import { type Clock, discardLogger, messageOf, type Random } from '../../base/index.ts';
import { Identity } from '../../csi/protocol/csi-v1.ts';
import { type Method, SocketCalls } from '../../wire/grpc/index.ts';
import type { CsiSuiteOptions } from './csi-options.ts';
import { DriverProcess } from './driver-process.ts';

const START_MS = 30_000;
const POLL_MS = 50;
const CALL_MS = 60_000;

interface LinkParts {
  /** For the socket of a driver that the suite starts. */
  readonly folder: string;
  readonly clock: Clock;
  readonly random: Random;
}

/** The way to the driver: the process that the suite has started, if any, and calls to its socket. */
export class DriverLink {
  readonly #options: Pick<CsiSuiteOptions, 'driver' | 'environment'>;
  readonly #parts: LinkParts;
  #process: DriverProcess | undefined;
  #calls: SocketCalls | undefined;

  constructor(options: Pick<CsiSuiteOptions, 'driver' | 'environment'>, parts: LinkParts) {
    this.#options = options;
    this.#parts = parts;
  }

  /** False before `start`, and after `kill`. */
  get isOpen(): boolean {
    return this.#calls !== undefined;
  }

  /** True when the process that the suite has started has ended. */
  get hasEnded(): boolean {
    return this.#process?.hasEnded === true;
  }

  /** The last that the process printed, for the end of a message. */
  get lastWords(): string {
    const { output = '' } = this.#process ?? {};
    return output === '' ? '' : `; it has printed: ${output}`;
  }

  async call<Request, Response>(
    method: Method<Request, Response>,
    request: Request,
    signal: AbortSignal,
  ): Promise<Response> {
    if (this.#calls === undefined) throw new Error('The driver is not running');
    return await this.#calls.call(method, request, { signal, timeoutMs: CALL_MS });
  }

  /** Kills the driver in the middle of its calls: closing the connection first would let them finish. */
  async kill(): Promise<void> {
    await this.#process?.kill();
    this.#process = undefined;
    await this.#calls?.[Symbol.asyncDispose]();
    this.#calls = undefined;
  }

  /** Starts the driver, where the suite does that, and waits until it is ready. */
  async start(signal: AbortSignal): Promise<void> {
    const { driver, environment } = this.#options;
    const { folder, clock, random } = this.#parts;
    const endpoint = driver.type === 'endpoint' ? driver.endpoint : `unix://${join(folder, 'csi.sock')}`;
    if (driver.type === 'command') {
      const command = driver.command.map((word) =>
        word.replaceAll('{endpoint}', endpoint).replaceAll('{socket}', endpoint.slice('unix://'.length)),
      );
      this.#process = new DriverProcess(command, { ...environment, CSI_ENDPOINT: endpoint });
    }
    const server = 'the driver';
    this.#calls = new SocketCalls({ endpoint, server, clock, random, log: discardLogger });
    await this.#awaitReady(endpoint, signal);
  }

  async #awaitReady(endpoint: string, signal: AbortSignal): Promise<void> {
    const { clock } = this.#parts;
    const until = clock.monotonic() + START_MS;
    for (;;) {
      try {
        const { ready } = await this.call(Identity.probe, {}, signal);
        if (ready?.value !== false) return;
      } catch (error) {
        signal.throwIfAborted();
        if (this.hasEnded) throw new Error(`The driver has ended${this.lastWords}`, { cause: error });
        if (clock.monotonic() > until)
          throw new Error(`No driver is ready at ${endpoint}: ${messageOf(error)}${this.lastWords}`, { cause: error });
      }
      await clock.sleep(POLL_MS, signal);
    }
  }
}
