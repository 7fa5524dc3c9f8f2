import { isIP } from 'node:net';
import type { Clock, Logger } from '../../../base/index.ts';
import type { Client } from '../../../client/index.ts';
import { NodeAccess, type NodeAgent, NodeEndpoint, type NodeServer } from '../../../node/index.ts';
import type { Credential } from '../../../wire/certificates/index.ts';
import type { ClientCertificate } from '../../../wire/http/index.ts';

/** How often to ask for the current certificate of each node. Certificates live a year and are replaced after half of it. */
const RENEWAL_CHECK_MS = 24 * 60 * 60 * 1000;

export interface NodeEndpointsOptions {
  readonly names: readonly string[];
  /** The address at which all of them listen, each at its own port. */
  readonly host: string;
  /** PEM of the authorities whose client certificates count. */
  readonly clientAuthorities: string;
  /** The certificate that a node shows now: a new one when the last one is due for renewal. */
  readonly certificateOf: (name: string) => () => Credential;
  /** What certificates go by. */
  readonly certificateClock: Clock;
  readonly log: Logger;
}

interface Endpoint {
  readonly endpoint: NodeEndpoint;
  readonly certificate: () => Credential;
}

/** The ports of the nodes of this process, for callers that reach nodes over the network. Their certificates are renewed. */
export class NodeEndpoints implements Disposable {
  readonly host: string;
  readonly #log: Logger;
  readonly #endpoints: ReadonlyMap<string, Endpoint>;
  readonly #clock: Clock;
  #timer: Disposable;

  /** Opens a port for each node. */
  static async open(options: NodeEndpointsOptions): Promise<NodeEndpoints> {
    const { names, host, clientAuthorities, certificateOf } = options;
    const endpoints = new Map<string, Endpoint>();
    try {
      for (const name of names) {
        const certificate = certificateOf(name);
        const endpoint = await NodeEndpoint.open({ host, certificate: shown(certificate()), clientAuthorities });
        endpoints.set(name, { endpoint, certificate });
      }
    } catch (error) {
      for (const { endpoint } of endpoints.values()) endpoint[Symbol.dispose]();
      throw error;
    }
    return new NodeEndpoints(endpoints, options);
  }

  private constructor(
    endpoints: ReadonlyMap<string, Endpoint>,
    { host, log, certificateClock }: Pick<NodeEndpointsOptions, 'host' | 'log' | 'certificateClock'>,
  ) {
    this.host = host;
    this.#log = log;
    this.#endpoints = endpoints;
    this.#clock = certificateClock;
    this.#timer = this.#clock.timer(RENEWAL_CHECK_MS, () => this.#renew());
  }

  portOf(name: string): number {
    return this.#endpoints.get(name)?.endpoint.port ?? 0;
  }

  /** The `host:port` at which a node listens. */
  placeOf(name: string): string {
    return `${this.host.includes(':') ? `[${this.host}]` : this.host}:${this.portOf(name)}`;
  }

  /** Answers callers of a node from now on. `client` asks the API server who they are and what they may do. */
  serve({ name, served }: NodeAgent, server: NodeServer, client: Client): void {
    const access = new NodeAccess({ node: name, client, clock: served.clock, log: this.#log });
    this.#endpoints.get(name)?.endpoint.serve(server, access);
  }

  [Symbol.dispose](): void {
    this.#timer[Symbol.dispose]();
    for (const { endpoint } of this.#endpoints.values()) endpoint[Symbol.dispose]();
  }

  #renew(): void {
    for (const { endpoint, certificate } of this.#endpoints.values()) endpoint.renew(shown(certificate()));
    this.#timer = this.#clock.timer(RENEWAL_CHECK_MS, () => this.#renew());
  }
}

function shown({ certificate, privateKey }: Credential): ClientCertificate {
  return { certificate, key: privateKey };
}

/** The subject of a node's certificates. */
export function nodeSubject(name: string): { readonly commonName: string; readonly organizations: readonly string[] } {
  return { commonName: `system:node:${name}`, organizations: ['system:nodes'] };
}

/** Where nodes listen: an address that stands for all addresses cannot be advertised. */
export function nodeHost(host: string): string {
  return isIP(host) === 0 || host === '0.0.0.0' || host === '::' ? '127.0.0.1' : host;
}
