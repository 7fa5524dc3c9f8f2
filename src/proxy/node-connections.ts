import { lookup } from 'node:dns/promises';
import { badRequest, notFound, serviceUnavailable, StatusError } from '../api/index.ts';
import { nodeNetwork } from '../api/meaning/index.ts';
import type { Node } from '../api/types/core/v1.d.ts';
import { type ServerObjects, transportErrorText } from '../apiserver/index.ts';
import type { Clock } from '../base/index.ts';
import { type ClientCertificate, type Dialer, HttpClient, streamDialer } from '../wire/http/index.ts';
import type { LocalConnections } from './local-connections.ts';
import type { ProxiedServer } from './proxied-request.ts';
import { isProxyable, type ProxyLocation } from './proxy-location.ts';
import type { ProxyName } from './proxy-name.ts';

export interface NodeConnectionsOptions {
  readonly objects: ServerObjects;
  readonly clock: Clock;
  /** The nodes of this process. */
  readonly local: LocalConnections;
  /** Decides how the addresses of pods are reached; default on the network. */
  readonly dialer?: Dialer;
  /** The client certificate that the server shows to nodes of other processes. */
  readonly certificate?: () => ClientCertificate;
  /** PEM of the authorities that sign nodes' certificates; default none: certificates are not verified, as upstream. */
  readonly authorities?: () => Promise<string | undefined>;
  /** The types of node addresses to use, in order of preference; default upstream's order. */
  readonly addressTypes?: readonly string[];
}

const ADDRESS_TYPES = ['Hostname', 'InternalDNS', 'InternalIP', 'ExternalDNS', 'ExternalIP'];
const DEFAULT_PORT = 10_250;
/** Connections to nodes, kept for the next request. */
export class NodeConnections implements Disposable {
  readonly #options: NodeConnectionsOptions;
  readonly #clients = new KeptClients();

  constructor(options: NodeConnectionsOptions) {
    this.#options = options;
  }

  /** Throws a Status when there is no such node or it has no usable address. */
  async to(node: string): Promise<HttpClient> {
    const { clock, local } = this.#options;
    const connection = local.connectionTo(node);
    if (connection !== undefined) {
      const server = new URL('http://node');
      return this.#clients.get(
        `local ${node}`,
        () => new HttpClient({ target: { server, connection }, clock, isHttp1Only: true }),
      );
    }
    const server = await this.#address(node);
    const { certificate, authorities } = this.#options;
    return this.#clients.get(
      server.origin,
      () =>
        new HttpClient({
          target: { server, insecureSkipTlsVerify: authorities === undefined },
          clock,
          isHttp1Only: true,
          dialHttp1: streamDialer(),
          ...(certificate === undefined ? {} : { certificate: certificate() }),
          ...(authorities === undefined ? {} : { authorities }),
        }),
    );
  }

  /** See `LocalConnections`. */
  isPodAddress(node: string, podUid: string, address: string): Promise<boolean> {
    return this.#options.local.isPodAddress(node, podUid, address);
  }

  /** The server that a request for a node's proxy means: the node's agent, or another port of its machine. */
  async toProxied({ scheme, name, port }: ProxyName): Promise<ProxiedServer> {
    const { local, objects } = this.#options;
    if (local.connectionTo(name) !== undefined) {
      const node = await objects.of<Node>('', 'nodes').newest('', name);
      const kubeletPort = node?.status?.daemonEndpoints?.kubeletEndpoint?.Port ?? 0;
      // without a port on the network, the node answers at the port that kubelets have
      if (['', String(DEFAULT_PORT), String(kubeletPort)].includes(port))
        return { client: await this.to(name), host: 'node' };
      const message = `error trying to reach service: dial tcp ${name}:${port}: connect: connection refused`;
      throw serviceUnavailable(message);
    }
    const server = await this.#address(name);
    await checkProxyable(server.hostname);
    if (port === '' || port === server.port) return { client: await this.to(name), host: server.host };
    return this.#at(scheme, server.hostname, port);
  }

  /** Connects to a pod on any node. Calls `onEnd` with a function that releases the connection. */
  async toPod({ scheme, host, port, pod }: ProxyLocation, onEnd: (leave: () => void) => void): Promise<ProxiedServer> {
    const { clock, dialer } = this.#options;
    const { namespace = '', name = '' } = pod.metadata ?? {};
    const number = portNumber(port, scheme);
    const connection = await dialer?.routeTo({ host, port: number, name: `${namespace}/${name}` }).catch(refuse);
    const address = host.includes(':') ? `[${host}]` : host;
    if (connection === undefined) return this.#at(scheme, address, String(number));
    const server = new URL(`${scheme}://${address}:${number}`);
    const target = { server, connection, insecureSkipTlsVerify: true };
    const client = new HttpClient({ target, clock, isHttp1Only: true });
    onEnd(() => client.destroy());
    return { client, host: `${address}:${number}` };
  }

  /** Certificates are not verified, as upstream: there is no name to compare them with. */
  #at(scheme: string, host: string, port: string): ProxiedServer {
    const server = new URL(`${scheme}://${host}:${port}`);
    const { clock } = this.#options;
    const target = { server, insecureSkipTlsVerify: true };
    const client = this.#clients.get(
      `proxied ${server.origin}`,
      () => new HttpClient({ target, clock, isHttp1Only: true, dialHttp1: streamDialer() }),
    );
    return { client, host: `${host}:${port}` };
  }

  [Symbol.dispose](): void {
    this.#clients[Symbol.dispose]();
  }

  async #address(name: string): Promise<URL> {
    const stored = await this.#options.objects.of<Node>('', 'nodes').newest('', name);
    if (stored === undefined) throw notFound({ group: '', resource: 'nodes' }, name);
    const { server } = nodeNetwork(stored);
    if (server !== undefined && URL.canParse(`https://${server}`)) return new URL(`https://${server}`);
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
}

/** The port to dial. Throws the error of Go's resolver when it is not a number. */
function portNumber(text: string, scheme: 'http' | 'https'): number {
  const named = { '': scheme === 'http' ? 80 : 443, http: 80, https: 443 }[text];
  if (named !== undefined) return named;
  if (!/^\d+$/.test(text)) throw unreachablePort(`lookup tcp/${text}: unknown port`);
  if (Number(text) > 65_535) throw unreachablePort(`address ${text}: invalid port`);
  return Number(text);
}

function refuse(error: unknown): never {
  throw serviceUnavailable(`error trying to reach service: ${transportErrorText(error)}`);
}

function unreachablePort(problem: string): StatusError {
  return serviceUnavailable(`error trying to reach service: dial tcp: ${problem}`);
}

async function checkProxyable(host: string): Promise<void> {
  let addresses: readonly { readonly address: string }[];
  try {
    addresses = await lookup(host.replace(/^\[|\]$/g, ''), { all: true });
  } catch (error) {
    throw badRequest(transportErrorText(error).replace(/^dial tcp: /, ''));
  }
  if (addresses.length === 0) throw badRequest('no addresses for hostname');
  if (!addresses.every(({ address }) => isProxyable(address))) throw badRequest('address not allowed');
}

/** When there are more, the least recently used client is closed. */
const MAX_CLIENTS = 1000;

/** HTTP clients by the name of the server they connect to, kept open for the next request. */
class KeptClients implements Disposable {
  readonly #clients = new Map<string, HttpClient>();

  get(name: string, make: () => HttpClient): HttpClient {
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

  [Symbol.dispose](): void {
    for (const client of this.#clients.values()) client.destroy();
    this.#clients.clear();
  }
}
