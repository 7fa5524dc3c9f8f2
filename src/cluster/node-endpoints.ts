import { isIP } from 'node:net';
import type { Clock, Logger } from '../base/index.ts';
import type { Client } from '../client/index.ts';
import { NodeAccess, type NodeAgent, NodeEndpoint, type NodeServer } from '../node/index.ts';
import type { ClientCertificate } from '../wire/http/index.ts';
import type { ControlPlane } from './control-plane.ts';
import { renewedCredential } from './pki/issue-credential.ts';

/** Certificates are good for a year, and are made anew when half of it is over. */
const LOOK_EVERY_MS = 24 * 60 * 60 * 1000;

interface Endpoint {
  readonly endpoint: NodeEndpoint;
  /** What it shows; another one when it is time. */
  readonly certificate: () => ClientCertificate;
}

/** The ports of the nodes of this process, for those who reach nodes over the network. */
export class NodeEndpoints implements Disposable {
  readonly host: string;
  readonly #log: Logger;
  readonly #endpoints: ReadonlyMap<string, Endpoint>;
  readonly #clock: Clock;
  #timer: Disposable;

  /** Opens a port for each node, at the address of the API server. */
  static async open(
    plane: ControlPlane,
    names: readonly string[],
    { host, log }: { readonly host: string; readonly log: Logger },
  ): Promise<NodeEndpoints> {
    const clientAuthorities = plane.pki.authority.certificate;
    const endpoints = new Map<string, Endpoint>();
    try {
      for (const name of names) {
        const certificate = certificateOf(plane, name, host);
        const endpoint = await NodeEndpoint.open({ host, certificate: certificate(), clientAuthorities });
        endpoints.set(name, { endpoint, certificate });
      }
    } catch (error) {
      for (const { endpoint } of endpoints.values()) endpoint[Symbol.dispose]();
      throw error;
    }
    return new NodeEndpoints(endpoints, { host, log, clock: plane.certificateClock });
  }

  private constructor(
    endpoints: ReadonlyMap<string, Endpoint>,
    { host, log, clock }: { readonly host: string; readonly log: Logger; readonly clock: Clock },
  ) {
    this.host = host;
    this.#log = log;
    this.#endpoints = endpoints;
    this.#clock = clock;
    this.#timer = clock.timer(LOOK_EVERY_MS, () => this.#look());
  }

  portOf(name: string): number {
    return this.#endpoints.get(name)?.endpoint.port ?? 0;
  }

  /** `client` is the node's own. */
  serve({ name, served }: NodeAgent, server: NodeServer, client: Client): void {
    const access = new NodeAccess({ node: name, client, clock: served.clock, log: this.#log });
    this.#endpoints.get(name)?.endpoint.serve(server, access);
  }

  [Symbol.dispose](): void {
    this.#timer[Symbol.dispose]();
    for (const { endpoint } of this.#endpoints.values()) endpoint[Symbol.dispose]();
  }

  #look(): void {
    for (const { endpoint, certificate } of this.#endpoints.values()) endpoint.renew(certificate());
    this.#timer = this.#clock.timer(LOOK_EVERY_MS, () => this.#look());
  }
}

function certificateOf(plane: ControlPlane, name: string, host: string): () => ClientCertificate {
  const subject = { commonName: `system:node:${name}`, organizations: ['system:nodes'] };
  const issue = renewedCredential(
    () => plane.issue({ subject, usage: 'server', names: [name, host] }),
    plane.certificateClock,
  );
  return () => {
    const { certificate, privateKey } = issue();
    return { certificate, key: privateKey };
  };
}

/** Where nodes listen: addresses that stand for all are no address to tell of. */
export function nodeHost(host: string): string {
  return isIP(host) === 0 || host === '0.0.0.0' || host === '::' ? '127.0.0.1' : host;
}
