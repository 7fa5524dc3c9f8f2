import {
  constants,
  createServer,
  type Http2ServerRequest,
  type Http2ServerResponse,
  type ServerHttp2Session,
} from 'node:http2';
import type { TLSSocket } from 'node:tls';
import { aborted, type Clock, CryptoRandom, type Random, RealClock, type Runnable } from '../../base/index.ts';
import { type Http1Handlers, type ServingCertificate as TlsServing, TlsListener } from '../../wire/listen/index.ts';
import { podAddress } from '../pod-address.ts';
import { RENEW_AFTER_MS, type ServingCertificate, WebhookAuthority } from './serving-certificate.ts';

export interface HttpsListenerOptions {
  /** Another listener that passes requests on: this one then opens no port and uses the other one's certificate. */
  readonly front?: HttpsFront;
  /** Default 0: any free port. */
  readonly port?: number;
  /** Default 127.0.0.1; behind a Service use `0.0.0.0` or `::`. */
  readonly host?: string;
  /**
   * Names and addresses that callers use, such as `hook.default.svc`, besides those of this machine. A certificate for them
   * is made at the start and renewed while the server runs.
   */
  readonly names?: readonly string[];
  /** A certificate to use instead of making one, such as one that several replicas share. */
  readonly certificate?: ServingCertificate;
  readonly clock?: Clock;
  readonly random?: Random;
}

/** A Service by which API servers reach an app's server. */
export interface ServiceReference {
  readonly namespace: string;
  readonly name: string;
  /** Default 443. */
  readonly port?: number;
}

/** How requests and connections are handled. */
export interface HttpsAnswering {
  readonly onRequest: (request: Http2ServerRequest, response: Http2ServerResponse) => void;
  /** Asks callers for a certificate, which the handler has to verify; default false. */
  readonly asksForCertificate?: boolean;
  /** Default 256. */
  readonly maxConnections?: number;
}

export interface ListeningAddress {
  readonly host: string;
  readonly port: number;
}

/** A listener that passes on the requests for some paths. */
export interface HttpsFront {
  readonly listener: HttpsListener;
  /** Whether a request for this path is passed on. */
  readonly isFor: (path: string) => boolean;
}

/** A listener that gets requests from another one. */
interface Behind extends Pick<HttpsFront, 'isFor'>, Pick<HttpsAnswering, 'onRequest'> {
  /** Names by which callers reach it. */
  readonly names: () => readonly string[];
}

const MAX_CONNECTIONS = 256;
const HEADERS_TIMEOUT_MS = 10_000;
const HANDSHAKE_TIMEOUT_MS = 10_000;
/** A connection of HTTP/2 is closed after this time without requests. */
const IDLE_TIMEOUT_MS = 120_000;
/** How long a request's body may take to arrive, and at most twice this, the rest of an answer to be read. */
const TRANSFER_TIMEOUT_MS = 30_000;
/** How long requests in progress may take when the server stops. */
const DRAIN_MS = 2000;
const LOCAL_NAMES = ['localhost', '127.0.0.1', '::1'];

/** Listens over HTTPS, with HTTP/2 and HTTP/1.1. Makes and renews its certificate unless the options have one. */
export class HttpsListener implements Runnable {
  #options: HttpsListenerOptions;
  readonly #answering: HttpsAnswering;
  readonly #clock: Clock;
  #authority: WebhookAuthority | undefined;
  /** CA certificates before the current one, which callers continue to trust for a while. */
  #former = '';
  readonly #onAuthority = new Set<() => void>();
  readonly #underWay = new Set<Http2ServerResponse>();
  #onIdle: (() => void) | undefined;
  /** Listeners that get requests from this one. */
  readonly #behind: Behind[] = [];
  #address: ListeningAddress | undefined;
  #waiting: ((address: ListeningAddress) => void)[] = [];

  constructor(options: HttpsListenerOptions, answering: HttpsAnswering) {
    const { certificate, clock = new RealClock(), random = new CryptoRandom() } = options;
    this.#options = options;
    this.#answering = answering;
    this.#clock = clock;
    const { front } = options;
    if (front !== undefined) {
      const { onRequest } = answering;
      front.listener.#behind.push({ isFor: front.isFor, onRequest, names: () => this.#options.names ?? [] });
    }
    const isOwn = certificate === undefined && front === undefined;
    this.#authority = isOwn ? new WebhookAuthority({ clock, random }) : undefined;
  }

  /** The CA certificate that callers have to trust, and former ones, as PEM; constant until `use` is called. */
  get authority(): string {
    const { front } = this.#options;
    if (front !== undefined) return front.listener.authority;
    return `${this.#authority?.certificate ?? this.#options.certificate?.authority ?? ''}${this.#former}`;
  }

  /** Issues certificates with another authority from now on, and calls the `onAuthority` handlers. */
  use(authority: WebhookAuthority, former: string): void {
    if (this.#authority?.certificate === authority.certificate && this.#former === former) return;
    this.#authority = authority;
    this.#former = former;
    for (const handler of this.#onAuthority) handler();
  }

  /** Calls the handler whenever `authority` has changed, until the result is disposed. */
  onAuthority(handler: () => void): Disposable {
    const { front } = this.#options;
    if (front !== undefined) return front.listener.onAuthority(handler);
    this.#onAuthority.add(handler);
    return { [Symbol.dispose]: () => void this.#onAuthority.delete(handler) };
  }

  /** The same in base64. */
  get caBundle(): string {
    return Buffer.from(this.authority).toString('base64');
  }

  /** Where the server listens; undefined while it does not. */
  get address(): ListeningAddress | undefined {
    return this.#address;
  }

  /** Makes the server listen at the Service's port on all addresses of the pod; must be called before it runs. */
  standBehind({ namespace, name, port }: Required<ServiceReference>): void {
    const names = [...(this.#options.names ?? []), serviceHost({ namespace, name })];
    this.#options = { ...this.#options, host: podAddress(process.env), port, names };
    this.#options.front?.listener.standBehind({ namespace, name, port });
  }

  /** Resolves when the server listens. */
  listening(): Promise<ListeningAddress> {
    if (this.#address !== undefined) return Promise.resolve(this.#address);
    return new Promise((resolve) => this.#waiting.push(resolve));
  }

  /** Sets the address at which callers reach the server; undefined when it stops. */
  listensAt(address: ListeningAddress | undefined): void {
    this.#address = address;
    if (address !== undefined) for (const resolve of this.#waiting.splice(0)) resolve(address);
  }

  /** Gets requests from the front listener until the signal aborts. */
  async #runBehind(front: HttpsListener, signal: AbortSignal): Promise<void> {
    const address = await Promise.race([front.listening(), aborted(signal)]);
    if (address === undefined) return;
    this.listensAt(address);
    await aborted(signal);
    this.listensAt(undefined);
  }

  async run(signal: AbortSignal): Promise<void> {
    if (this.#options.front !== undefined) return this.#runBehind(this.#options.front.listener, signal);
    const listener = this.#listener();
    const { port = 0, host = '127.0.0.1' } = this.#options;
    const { address, port: opened } = await listener.open(host, port);
    this.listensAt({ host: address, port: opened });
    try {
      await this.#renewUntil(listener, signal);
    } finally {
      this.#address = undefined;
      await listener.end({ graceMs: DRAIN_MS, drain: () => this.#answered() });
    }
  }

  #listener(): TlsListener {
    const { asksForCertificate = false, maxConnections = MAX_CONNECTIONS } = this.#answering;
    const http2 = createServer((request, response) => this.#pass(request, response)); // our own HTTP/2 server would make bundles too large
    http2.on('sessionError', () => undefined); // the caller's connection is gone; the next call opens another
    const listener: TlsListener = new TlsListener({
      clock: this.#clock,
      limits: {
        maxConnections,
        replacesIdle: true,
        headersTimeoutMs: HEADERS_TIMEOUT_MS,
        handshakeTimeoutMs: HANDSHAKE_TIMEOUT_MS,
      },
      serving: this.#serving(),
      clientCertificates: asksForCertificate ? 'requested' : 'none',
      http2: (socket) => {
        const begun = (session: ServerHttp2Session): void => this.#watch(session, listener, socket);
        http2.once('session', begun);
        http2.emit('connection', socket);
        http2.off('session', begun);
      },
      // handlers only use what Node's requests of HTTP/1.1 and HTTP/2 have in common
      http1: { request: this.#pass.bind(this) as unknown as Http1Handlers['request'] & object },
    });
    return listener;
  }

  /** Tells the listener when the session has requests and when it has none; one without requests is closed after a while. */
  #watch(session: ServerHttp2Session, listener: TlsListener, socket: TLSSocket): void {
    let streams = 0;
    let timer = this.#clock.timer(HEADERS_TIMEOUT_MS, () => session.close());
    session.on('stream', (stream) => {
      streams += 1;
      timer[Symbol.dispose]();
      listener.used(socket);
      stream.once('close', () => {
        streams -= 1;
        if (streams > 0 || session.closed) return;
        listener.idle(socket);
        timer = this.#clock.timer(IDLE_TIMEOUT_MS, () => session.close());
      });
    });
    session.once('close', () => timer[Symbol.dispose]());
  }

  /** Gives up a request whose body does not arrive, and an answer that the caller does not read. */
  #limitTime(request: Http2ServerRequest, response: Http2ServerResponse): void {
    let wasEnded = false;
    const look = (): void => {
      if (!request.complete || wasEnded) return giveUp(request);
      wasEnded = response.writableEnded;
      timer = this.#clock.timer(TRANSFER_TIMEOUT_MS, look);
    };
    let timer = this.#clock.timer(TRANSFER_TIMEOUT_MS, look);
    request.once('close', () => timer[Symbol.dispose]());
  }

  #pass(request: Http2ServerRequest, response: Http2ServerResponse): void {
    const [path = ''] = request.url.split('?', 1);
    const { onRequest } = this.#behind.find(({ isFor }) => isFor(path)) ?? this.#answering;
    this.#limitTime(request, response);
    this.#underWay.add(response);
    response.once('close', () => {
      this.#underWay.delete(response);
      if (this.#underWay.size === 0) this.#onIdle?.();
    });
    onRequest(request, response);
  }

  /** Resolves when all requests have been answered; watches never are. */
  async #answered(): Promise<void> {
    if (this.#underWay.size === 0) return;
    const idle = new Promise<void>((resolve) => void (this.#onIdle = resolve));
    await idle;
  }

  #serving(): TlsServing {
    const { certificate: given, names = [] } = this.#options;
    const passed = this.#behind.flatMap((each) => each.names());
    const { certificate, privateKey: key } =
      this.#authority?.issue([...new Set([...names, ...passed, ...LOCAL_NAMES])]) ?? (given as ServingCertificate);
    return { certificate, key };
  }

  async #renewUntil(listener: TlsListener, signal: AbortSignal): Promise<void> {
    if (this.#authority === undefined) return aborted(signal);
    while (!signal.aborted) {
      await this.#clock.sleep(RENEW_AFTER_MS, signal);
      if (signal.aborted) return;
      listener.renew({ serving: this.#serving() });
    }
  }
}

/** Ends a request by force: its stream in HTTP/2, else its connection. */
function giveUp(request: Http2ServerRequest): void {
  const { stream } = request as Partial<Http2ServerRequest>; // a request of HTTP/1.1 has none
  if (stream === undefined) request.socket.destroy();
  else stream.close(constants.NGHTTP2_CANCEL);
}

/** The host name by which API servers call a Service. */
export function serviceHost({ namespace, name }: Pick<ServiceReference, 'namespace' | 'name'>): string {
  return `${name}.${namespace}.svc`;
}
