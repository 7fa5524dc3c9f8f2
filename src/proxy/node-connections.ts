import type { Duplex } from 'node:stream';
import { notFound, StatusError } from '../api/index.ts';
import type { Node } from '../api/types/core/v1.d.ts';
import type { ServerObjects } from '../apiserver/index.ts';
import type { Clock } from '../base/index.ts';
import { type ClientCertificate, HttpClient } from '../wire/http/index.ts';

export interface NodeConnectionsOptions {
  readonly objects: ServerObjects;
  readonly clock: Clock;
  /** Opens a connection to a node of this process; undefined for those that are elsewhere. */
  readonly local: (node: string) => (() => Duplex) | undefined;
  /** As whom the server shows up at nodes elsewhere. */
  readonly certificate?: ClientCertificate;
  /** PEM of the authorities of nodes' certificates; they are not looked at unless given, as upstream. */
  readonly authorities?: () => Promise<string | undefined>;
  /** Which of a node's addresses to take, best first; upstream's order unless given. */
  readonly addressTypes?: readonly string[];
}

const ADDRESS_TYPES = ['Hostname', 'InternalDNS', 'InternalIP', 'ExternalDNS', 'ExternalIP'];
const DEFAULT_PORT = 10_250;
/** Of nodes elsewhere; those that were not asked for the longest are let go first. */
const MAX_CLIENTS = 1000;

/** Connections to nodes, kept for the next request. */
export class NodeConnections implements Disposable {
  readonly #options: NodeConnectionsOptions;
  readonly #clients = new Map<string, HttpClient>();

  constructor(options: NodeConnectionsOptions) {
    this.#options = options;
  }

  /** Throws a Status when the node is not known or says of no address. */
  async to(node: string): Promise<HttpClient> {
    const { clock, local } = this.#options;
    const connection = local(node);
    if (connection !== undefined) {
      const server = new URL('http://node');
      return this.#kept(
        `local ${node}`,
        () => new HttpClient({ target: { server, connection }, clock, isHttp1Only: true }),
      );
    }
    const server = await this.#address(node);
    const { certificate, authorities } = this.#options;
    return this.#kept(
      server.origin,
      () =>
        new HttpClient({
          target: { server, insecureSkipTlsVerify: authorities === undefined },
          clock,
          isHttp1Only: true,
          ...(certificate === undefined ? {} : { certificate }),
          ...(authorities === undefined ? {} : { authorities }),
        }),
    );
  }

  [Symbol.dispose](): void {
    for (const client of this.#clients.values()) client.destroy();
    this.#clients.clear();
  }

  async #address(name: string): Promise<URL> {
    const stored = await this.#options.objects.of<Node>('', 'nodes').newest('', name);
    if (stored === undefined) throw notFound({ group: '', resource: 'nodes' }, name);
    const { addresses = [], daemonEndpoints } = stored.status ?? {};
    const { addressTypes = ADDRESS_TYPES } = this.#options;
    const host = addressTypes.flatMap((type) => addresses.filter((each) => each.type === type)).at(0)?.address;
    if (host === undefined) {
      throw new StatusError({
        code: 500,
        reason: 'InternalError',
        message: `no preferred addresses found; known addresses: []`,
      });
    }
    const port = daemonEndpoints?.kubeletEndpoint?.Port ?? 0;
    return new URL(`https://${host.includes(':') ? `[${host}]` : host}:${port === 0 ? DEFAULT_PORT : port}`);
  }

  #kept(name: string, make: () => HttpClient): HttpClient {
    const client = this.#clients.get(name) ?? make();
    this.#clients.delete(name);
    this.#clients.set(name, client);
    const [oldest] = this.#clients;
    if (oldest !== undefined && this.#clients.size > MAX_CLIENTS) {
      this.#clients.delete(oldest[0]);
      oldest[1].drain();
    }
    return client;
  }
}
