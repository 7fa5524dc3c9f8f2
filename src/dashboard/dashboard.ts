import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import { Listener, type ServingCertificate, TlsListener } from '../wire/listen/index.ts';
import type { DashboardServer } from './server/dashboard-server.ts';
import type { DashboardSettings } from './settings.ts';

/** Where a dashboard listens. */
export interface DashboardPlace {
  readonly host: string;
  /** 0 takes any free port. */
  readonly port: number;
  /** Serves HTTPS with it; default plain HTTP. */
  readonly certificate?: ServingCertificate;
}

const LIMITS = {
  maxConnections: 256,
  headersTimeoutMs: 10_000,
  requestTimeoutMs: 60_000,
  idleTimeoutMs: 60_000,
  handshakeTimeoutMs: 10_000,
  maxHeaderBytes: 32_768, // tokens may be long
};

/**
 * A dashboard's port. The code behind it is loaded when the first client connects: until then it costs a socket.
 *
 * Ends: when it is disposed of, which ends all requests.
 */
export class Dashboard implements AsyncDisposable {
  readonly #settings: DashboardSettings;
  readonly #place: DashboardPlace;
  readonly #listener: Listener;
  readonly #ending = new AbortController();
  #server: Promise<DashboardServer> | undefined;

  private constructor(settings: DashboardSettings, place: DashboardPlace) {
    this.#settings = settings;
    this.#place = place;
    const http1 = {
      request: (request: IncomingMessage, response: ServerResponse) => void this.#answer(request, response),
      upgrade: (request: IncomingMessage, socket: Duplex, first: Buffer) => void this.#upgrade(request, socket, first),
    };
    this.#listener =
      place.certificate === undefined
        ? new Listener({ limits: LIMITS, http1 })
        : new TlsListener({
            limits: { ...LIMITS, replacesIdle: true },
            http1,
            serving: place.certificate,
            clock: settings.clock,
          });
  }

  /** Opens the port. */
  static async open(settings: DashboardSettings, place: DashboardPlace): Promise<Dashboard> {
    const opened = new Dashboard(settings, place);
    await opened.#listener.open(place.host, place.port);
    return opened;
  }

  /** The address to open in a browser, with the key. */
  get url(): string {
    const { key } = this.#settings;
    return `${this.origin}/${key === undefined ? '' : `#${key}`}`;
  }

  get origin(): string {
    const { address, port } = this.#listener.address;
    const host = address.includes(':') ? `[${address}]` : address;
    return `${this.#place.certificate === undefined ? 'http' : 'https'}://${host}:${port}`;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#ending.abort(new Error('the dashboard stops'));
    await this.#listener.end();
    const server = await this.#server?.catch(() => undefined); // a failure to load was answered
    await server?.[Symbol.asyncDispose]();
  }

  async #loaded(): Promise<DashboardServer> {
    this.#server ??= this.#load();
    return this.#server;
  }

  async #load(): Promise<DashboardServer> {
    const { DashboardServer } = await import('./server/dashboard-server.ts');
    return DashboardServer.open(this.#settings, { port: this.#listener.address.port, signal: this.#ending.signal });
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    try {
      await (await this.#loaded()).answer(request, response);
    } catch (error) {
      this.#failed(error);
      response.destroy();
    }
  }

  async #upgrade(request: IncomingMessage, socket: Duplex, first: Buffer): Promise<void> {
    socket.on('error', () => undefined); // readers of the socket see the end
    try {
      await (await this.#loaded()).upgrade(request, socket, first);
    } catch (error) {
      this.#failed(error);
      socket.destroy();
    }
  }

  #failed(error: unknown): void {
    if (!this.#ending.signal.aborted) this.#settings.log.error('the dashboard failed', { error });
  }
}
