import { isIP } from 'node:net';
import type { Logger } from '../base/index.ts';
import type { Client } from '../client/index.ts';
import { NodeAccess, type NodeAgent, NodeEndpoint, type NodeServer } from '../node/index.ts';
import type { ControlPlane } from './control-plane.ts';

/** The ports of the nodes of this process, for those who reach nodes over the network. */
export class NodeEndpoints implements Disposable {
  readonly host: string;
  readonly #log: Logger;
  readonly #endpoints: ReadonlyMap<string, NodeEndpoint>;

  /** Opens a port for each node, at the address of the API server. */
  static async open(
    plane: ControlPlane,
    names: readonly string[],
    { host, log }: { readonly host: string; readonly log: Logger },
  ): Promise<NodeEndpoints> {
    const { authority } = plane.pki;
    const endpoints = new Map<string, NodeEndpoint>();
    try {
      for (const name of names) {
        const subject = { commonName: `system:node:${name}`, organizations: ['system:nodes'] };
        const { certificate, privateKey } = plane.issue({ subject, usage: 'server', names: [name, host] });
        const shown = { certificate, key: privateKey };
        endpoints.set(
          name,
          await NodeEndpoint.open({ host, certificate: shown, clientAuthorities: authority.certificate }),
        );
      }
    } catch (error) {
      for (const endpoint of endpoints.values()) endpoint[Symbol.dispose]();
      throw error;
    }
    return new NodeEndpoints(host, endpoints, log);
  }

  private constructor(host: string, endpoints: ReadonlyMap<string, NodeEndpoint>, log: Logger) {
    this.host = host;
    this.#log = log;
    this.#endpoints = endpoints;
  }

  portOf(name: string): number {
    return this.#endpoints.get(name)?.port ?? 0;
  }

  /** `client` is the node's own. */
  serve({ name, served }: NodeAgent, server: NodeServer, client: Client): void {
    const access = new NodeAccess({ node: name, client, clock: served.clock, log: this.#log });
    this.#endpoints.get(name)?.serve(server, access);
  }

  [Symbol.dispose](): void {
    for (const endpoint of this.#endpoints.values()) endpoint[Symbol.dispose]();
  }
}

/** Where nodes listen: addresses that stand for all are no address to tell of. */
export function nodeHost(host: string): string {
  return isIP(host) === 0 || host === '0.0.0.0' || host === '::' ? '127.0.0.1' : host;
}
