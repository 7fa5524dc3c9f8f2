import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { createServer, type Server, type TLSSocket } from 'node:tls';
import type { ClientCertificate } from '../../wire/http/index.ts';
import type { NodeAccess } from './node-access.ts';
import type { NodeServer } from './node-server.ts';

export interface NodeEndpointOptions {
  readonly host: string;
  /** Any that is free unless given. */
  readonly port?: number;
  /** Shown to callers. */
  readonly certificate: ClientCertificate;
  /** PEM of the authorities whose client certificates count. */
  readonly clientAuthorities: string;
}

const MAX_CONNECTIONS = 1000;

/** The port of a node: callers show a certificate or a token, and are let in as the API server says. */
export class NodeEndpoint implements Disposable {
  readonly #server: Server;
  readonly #sockets = new Set<TLSSocket>();
  readonly #clientAuthorities: string;
  #served: { readonly server: NodeServer; readonly access: NodeAccess } | undefined;

  /** Opens the port; whoever connects before `serve` is sent away. */
  static async open(options: NodeEndpointOptions): Promise<NodeEndpoint> {
    const endpoint = new NodeEndpoint(options);
    endpoint.#server.listen(options.port ?? 0, options.host);
    await once(endpoint.#server, 'listening');
    return endpoint;
  }

  private constructor({ certificate, clientAuthorities }: NodeEndpointOptions) {
    this.#clientAuthorities = clientAuthorities;
    this.#server = createServer(
      {
        cert: certificate.certificate,
        key: certificate.key,
        ca: clientAuthorities,
        requestCert: true,
        rejectUnauthorized: false, // a token does as well
        ALPNProtocols: ['http/1.1'],
      },
      (socket) => this.#accept(socket),
    );
    this.#server.maxConnections = MAX_CONNECTIONS;
    this.#server.on('tlsClientError', (_, socket) => socket.destroy());
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  /** Shows another certificate to those who connect from now on. */
  renew({ certificate, key }: ClientCertificate): void {
    this.#server.setSecureContext({ cert: certificate, key, ca: this.#clientAuthorities });
  }

  serve(server: NodeServer, access: NodeAccess): void {
    this.#served = { server, access };
  }

  [Symbol.dispose](): void {
    this.#server.close();
    for (const socket of this.#sockets) socket.destroy();
  }

  #accept(socket: TLSSocket): void {
    socket.on('error', () => undefined); // who serves it sees it closed
    if (this.#served === undefined) return void socket.destroy();
    this.#sockets.add(socket);
    socket.once('close', () => this.#sockets.delete(socket));
    const { server, access } = this.#served;
    server.accept(socket, access.guard(socket));
  }
}
