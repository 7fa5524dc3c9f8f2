import type { AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';
import type { TLSSocket } from 'node:tls';
import { aborted, Turns } from '../../base/index.ts';
import { WriteBuffer } from '../../wire/http2/index.ts';
import { answerPlainHttp, type ServingCertificate, TlsListener } from '../../wire/listen/index.ts';
import { HeadWriter } from './answer-head.ts';
import { CertificateReader } from './client-certificate.ts';
import type { ClientError } from './client-errors.ts';
import { Connection } from './connection.ts';
import { connectionLimits, maxOpenFiles } from './connection-limit.ts';
import { Http1Connection } from './http1-connection.ts';
import { Http2Connection } from './http2-connection.ts';
import type { Protocol } from './observer.ts';
import { OpenConnections } from './open-connections.ts';
import { RequestServer } from './request-server.ts';
import { AddressBudgets } from './reset-budget.ts';
import type { RequestServices } from './served-request.ts';

export interface HttpTransportOptions extends Omit<RequestServices, 'heads' | 'turns'> {
  readonly serving: ServingCertificate;
  readonly clientAuthorities?: string;
  readonly proxyAuthorities?: string;
  readonly signal: AbortSignal;
}

/** New certificates and authorities for a running server; absent members stay unchanged. */
export interface RenewedCertificates {
  readonly serving?: ServingCertificate;
  readonly clientAuthorities?: string;
  readonly proxyAuthorities?: string;
}

/** An open HTTPS port. Created by `listen`. */
export class HttpTransport implements AsyncDisposable {
  readonly #options: HttpTransportOptions;
  readonly #listener: TlsListener;
  readonly #requests: RequestServer;
  readonly #connections: OpenConnections;
  readonly #addressBudgets: AddressBudgets;
  readonly #writeBuffer = new WriteBuffer({ isReused: true });
  readonly #http1 = new WeakMap<Duplex, Http1Connection>();
  #certificates: CertificateReader;
  #trust: Pick<HttpTransportOptions, 'serving' | 'clientAuthorities' | 'proxyAuthorities'>;
  #stopping: Promise<void> | undefined;

  constructor(options: HttpTransportOptions) {
    const { clock, limits, serving } = options;
    this.#options = options;
    this.#certificates = new CertificateReader(options);
    this.#requests = new RequestServer({ ...options, heads: new HeadWriter(clock), turns: new Turns() });
    this.#trust = options;
    this.#addressBudgets = new AddressBudgets(clock, limits);
    this.#connections = new OpenConnections(clock, limits.idleTimeoutMs);
    const clientAuthorities = this.#certificates.authorities;
    this.#listener = new TlsListener({
      clock,
      serving,
      clientAuthorities,
      clientCertificates: clientAuthorities === undefined ? 'none' : 'requested', // authentication refuses an invalid one, with a Status
      limits: {
        ...limits,
        ...connectionLimits(limits.maxConnections, maxOpenFiles()),
        requestTimeoutMs: 0, // our own deadline ends short requests, and long-running ones have no limit for their body
      },
      http2: (socket) => this.#openHttp2(socket),
      onHttp1: (socket) => this.#openHttp1(socket),
      http1: {
        request: (message, response) => this.#http1.get(message.socket)?.accept(message, response, false),
        checkContinue: (message, response) => this.#http1.get(message.socket)?.accept(message, response, true),
        upgrade: (message, socket, first) => this.#http1.get(socket)?.acceptUpgrade(message, first),
        clientError: (error: ClientError, socket) => this.#refuse(error, socket),
      },
      onError: (error) => options.log.error('cannot accept connections', { error }),
    });
  }

  /** The listening address; the port is the actual one even if 0 was requested. */
  get address(): AddressInfo {
    return this.#listener.address;
  }

  get url(): string {
    const { address, family, port } = this.address;
    return `https://${family === 'IPv6' ? `[${address}]` : address}:${port}`;
  }

  /** Resolves when the transport has stopped. */
  get stopped(): Promise<void> {
    return this.#listener.closed;
  }

  async open(host: string, port: number): Promise<void> {
    await this.#listener.open(host, port);
    void aborted(this.#options.signal).then(() => this.#stop());
  }

  /** Replaces the certificate or the authorities for new connections; open connections continue. */
  renew(renewed: RenewedCertificates): void {
    const { serving = this.#trust.serving } = renewed;
    const trust = { ...this.#trust, ...renewed, serving };
    const certificates = new CertificateReader(trust);
    this.#listener.renew({ serving, clientAuthorities: certificates.authorities });
    this.#certificates = certificates;
    this.#trust = trust;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#stop();
  }

  #stop(): Promise<void> {
    return (this.#stopping ??= this.#drainAndClose());
  }

  #drainAndClose(): Promise<void> {
    return this.#listener.end({
      graceMs: this.#options.limits.drainMs,
      drain: () => {
        this.#requests.endStreams();
        this.#connections.drain();
      },
      cut: () => {
        this.#requests.cutAll();
        this.#connections.destroyAll();
      },
    });
  }

  #openHttp2(socket: TLSSocket): void {
    const connection = this.#connection('h2', socket);
    const { limits } = this.#options;
    const addressBudgets = this.#addressBudgets;
    const buffer = this.#writeBuffer;
    const requests = this.#requests;
    const used = (): void => this.#listener.used(socket);
    const open = new Http2Connection(socket, { connection, requests, limits, addressBudgets, buffer, used });
    this.#connections.add(open);
    open.onClose(() => this.#connections.remove(open));
  }

  #openHttp1(socket: TLSSocket): void {
    const connection = this.#connection('http/1.1', socket);
    const open = new Http1Connection(socket, { connection, requests: this.#requests, limits: this.#options.limits });
    this.#http1.set(socket, open);
    this.#connections.add(open);
    socket.once('close', () => this.#connections.remove(open));
  }

  #connection(protocol: Protocol, socket: TLSSocket): Connection {
    const { clock, observer } = this.#options;
    observer.connectionOpened(protocol);
    socket.once('close', () => observer.connectionClosed(protocol));
    const peer = { remoteAddress: socket.remoteAddress ?? '', certificate: this.#certificates.read(socket) };
    return new Connection(protocol, peer, clock);
  }

  /** Handles a connection that is not HTTP, or not TLS. */
  #refuse(error: ClientError, socket: Duplex): void {
    const open = this.#http1.get(socket);
    if (open !== undefined) {
      open.fail(error);
      return;
    }
    this.#options.observer.handshakeFailed();
    if (!answerPlainHttp(error, socket)) socket.destroy();
  }
}
