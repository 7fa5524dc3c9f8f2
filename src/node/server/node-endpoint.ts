import type { TLSSocket } from 'node:tls';
import { RealClock } from '../../base/index.ts';
import type { ClientCertificate } from '../../wire/http/index.ts';
import { type TlsIdentity, TlsListener } from '../../wire/listen/index.ts';
import type { NodeAccess, RequestGuard } from './node-access.ts';
import type { NodeServer } from './node-server.ts';

export interface NodeEndpointOptions {
  readonly host: string;
  /** Default a free port. */
  readonly port?: number;
  /** The server certificate. */
  readonly certificate: ClientCertificate;
  /** PEM of the authorities that client certificates are verified with. */
  readonly clientAuthorities: string;
  /** Default what the listener offers. */
  readonly tls?: Pick<TlsIdentity, 'minVersion' | 'ciphers' | 'curves'>;
}

const LIMITS = { maxConnections: 1000, headersTimeoutMs: 10_000, handshakeTimeoutMs: 10_000 };

/** The HTTPS port of a node. Callers send a certificate or a token, and the API server decides about access. */
export class NodeEndpoint implements Disposable {
  readonly #listener: TlsListener;
  readonly #tls: NodeEndpointOptions['tls'];
  #clientAuthorities: string;
  #served: { readonly server: NodeServer; guard(socket: TLSSocket): RequestGuard } | undefined;

  /** Opens the port; connections that come before `serve` is called are closed. */
  static async open(options: NodeEndpointOptions): Promise<NodeEndpoint> {
    const endpoint = new NodeEndpoint(options);
    await endpoint.#listener.open(options.host, options.port ?? 0);
    return endpoint;
  }

  private constructor({ certificate, clientAuthorities, tls = {} }: NodeEndpointOptions) {
    this.#clientAuthorities = clientAuthorities;
    this.#tls = tls;
    this.#listener = new TlsListener({
      clock: new RealClock(),
      limits: LIMITS,
      serving: certificate,
      clientAuthorities,
      ...tls,
      clientCertificates: 'requested', // not required: callers may send a token in its place
      onHttp1: (socket) => this.#accept(socket),
      http1: {},
    });
  }

  get port(): number {
    return this.#listener.address.port;
  }

  /** Presents another certificate on new connections, and perhaps trusts other authorities. */
  renew(serving: ClientCertificate, clientAuthorities = this.#clientAuthorities): void {
    this.#clientAuthorities = clientAuthorities;
    this.#listener.renew({ serving, clientAuthorities, ...this.#tls });
  }

  /** Answers from now on. `also` may refuse requests that `access` lets pass. */
  serve(server: NodeServer, access: NodeAccess, also?: RequestGuard): void {
    const guard = (socket: TLSSocket): RequestGuard => {
      const first = access.guard(socket);
      return also === undefined ? first : async (request) => (await first(request)) ?? (await also(request));
    };
    this.#served = { server, guard };
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
    const { server, guard } = this.#served;
    server.accept(socket, guard(socket));
    return 'taken';
  }
}
