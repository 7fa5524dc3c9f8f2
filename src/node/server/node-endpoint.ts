import type { TLSSocket } from 'node:tls';
import { RealClock } from '../../base/index.ts';
import type { ClientCertificate } from '../../wire/http/index.ts';
import { TlsListener } from '../../wire/listen/index.ts';
import type { NodeAccess } from './node-access.ts';
import type { NodeServer } from './node-server.ts';

export interface NodeEndpointOptions {
  readonly host: string;
  /** Default a free port. */
  readonly port?: number;
  /** The server certificate. */
  readonly certificate: ClientCertificate;
  /** PEM of the authorities that client certificates are verified with. */
  readonly clientAuthorities: string;
}

const LIMITS = { maxConnections: 1000, headersTimeoutMs: 10_000, handshakeTimeoutMs: 10_000 };

/** The HTTPS port of a node. Callers send a certificate or a token, and the API server decides about access. */
export class NodeEndpoint implements Disposable {
  readonly #listener: TlsListener;
  readonly #clientAuthorities: string;
  #served: { readonly server: NodeServer; readonly access: NodeAccess } | undefined;

  /** Opens the port; connections that come before `serve` is called are closed. */
  static async open(options: NodeEndpointOptions): Promise<NodeEndpoint> {
    const endpoint = new NodeEndpoint(options);
    await endpoint.#listener.open(options.host, options.port ?? 0);
    return endpoint;
  }

  private constructor({ certificate, clientAuthorities }: NodeEndpointOptions) {
    this.#clientAuthorities = clientAuthorities;
    this.#listener = new TlsListener({
      clock: new RealClock(),
      limits: LIMITS,
      serving: certificate,
      clientAuthorities,
      clientCertificates: 'requested', // not required: callers may send a token in its place
      onHttp1: (socket) => this.#accept(socket),
      http1: {},
    });
  }

  get port(): number {
    return this.#listener.address.port;
  }

  /** Presents another certificate on new connections. */
  renew(serving: ClientCertificate): void {
    this.#listener.renew({ serving, clientAuthorities: this.#clientAuthorities });
  }

  serve(server: NodeServer, access: NodeAccess): void {
    this.#served = { server, access };
  }

  [Symbol.dispose](): void {
    void this.#listener.end();
  }

  #accept(socket: TLSSocket): 'taken' {
    socket.on('error', () => undefined); // the server of the socket sees it closed
    if (this.#served === undefined) {
      socket.destroy();
      return 'taken';
    }
    this.#listener.used(socket); // requests are not seen here, so none of them counts as silent
    const { server, access } = this.#served;
    server.accept(socket, access.guard(socket));
    return 'taken';
  }
}
