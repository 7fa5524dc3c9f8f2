import type { Duplex } from 'node:stream';
import { isTerminalPhase } from '../api/meaning/index.ts';
import { AbortScope, type Logger, messageOf } from '../base/index.ts';
import type { NodeAgent, OpenPort } from '../node/index.ts';
import { NodeServer, RuntimeError, type ServingOptions } from '../node/server/index.ts';
import type { LocalConnections } from '../proxy/index.ts';
import { drained, duplexPair } from '../wire/connections/index.ts';
import type { DialAddress } from '../wire/http/index.ts';
import { rangeKey } from './pod-ranges.ts';

interface LocalNode {
  readonly agent: NodeAgent;
  readonly server: NodeServer;
}

/** The nodes of this process, which its API server reaches without a network. */
export class LocalNodes implements LocalConnections, Disposable {
  readonly #nodes = new Map<string, LocalNode>();
  /** The names of nodes by the keys of their pods' ranges. */
  readonly #ranges = new Map<string, string>();
  readonly #log: Logger;

  constructor(log: Logger) {
    this.#log = log;
  }

  add(agent: NodeAgent, options: ServingOptions = {}): NodeServer {
    const { name, served } = agent;
    this.#nodes.get(name)?.server[Symbol.dispose]();
    const server = new NodeServer(served, this.#log.with({ node: name }), options);
    this.#nodes.set(name, { agent, server });
    for (const cidr of served.settings.podCidrs) {
      const key = rangeKey(cidr);
      if (key !== undefined) this.#ranges.set(key, name);
    }
    return server;
  }

  has(name: string): boolean {
    return this.#nodes.has(name);
  }

  connectionTo(name: string): (() => Duplex) | undefined {
    const node = this.#nodes.get(name);
    if (node === undefined) return undefined;
    return () => {
      const [near, far] = duplexPair();
      node.server.accept(far);
      return near;
    };
  }

  /** Whether the addresses of the node's pods can be dialled. */
  hasPodNetwork(name: string): boolean {
    return this.#nodes.get(name)?.agent.served.backend.machine.hasPodNetwork === true;
  }

  async isPodAddress(name: string, podUid: string, address: string): Promise<boolean> {
    if (!this.hasPodNetwork(name)) return false;
    const { runtime } = this.#nodes.get(name)?.agent.served.backend ?? {};
    const sandboxes = (await runtime?.listPodSandbox({ podUid, state: 'SANDBOX_READY' })) ?? [];
    return sandboxes.some(({ network: { ip, additionalIps } }) => [ip, ...additionalIps].includes(address));
  }

  /** The node whose pods have addresses of this range; see `rangeKey`. */
  nodeOfRange(key: string): string | undefined {
    return this.#ranges.get(key);
  }

  /** How to open a connection to a port of a pod through its node: of the named pod, or of the one that has the address. */
  async portOf(name: string, address: DialAddress): Promise<() => Duplex> {
    const { agent } = this.#nodes.get(name) ?? {};
    const pod = address.name ?? (agent === undefined ? undefined : podAt(agent, address.host));
    if (agent === undefined || pod === undefined)
      throw refusedDial(address, `no pod of simulated node "${name}" has this address`);
    const { port } = address;
    let open: OpenPort;
    try {
      const endpoint = await agent.streams.portForward(pod, [port]);
      if (endpoint.type === 'url')
        throw new RuntimeError('Invalid', 'its runtime does not forward ports in this process');
      open = endpoint.open;
    } catch (error) {
      if (error instanceof RuntimeError) throw refusedDial(address, `pod "${pod}" cannot be reached: ${error.message}`);
      throw error;
    }
    return () => {
      const [near, far] = duplexPair();
      near.on('error', () => undefined); // its owner listens only while it uses the connection
      void join(far, open, port).catch((error: unknown) => near.destroy(refusedDial(address, messageOf(error))));
      return near;
    };
  }

  [Symbol.dispose](): void {
    for (const { server } of this.#nodes.values()) server[Symbol.dispose]();
    this.#nodes.clear();
    this.#ranges.clear();
  }
}

/** The key of the pod that has the address now. Pods that have ended still show the address they had. */
function podAt(agent: NodeAgent, host: string): string | undefined {
  const found = agent.served
    .pods()
    .find(({ status }) => !isTerminalPhase(status?.phase) && status?.podIPs?.some(({ ip }) => ip === host) === true);
  return found === undefined ? undefined : `${found.metadata.namespace}/${found.metadata.name}`;
}

/** Connects one end of a connection to a port; rejects when the port ends the connection with an error. */
async function join(connection: Duplex, open: OpenPort, port: number): Promise<void> {
  using scope = new AbortScope();
  connection.on('error', () => undefined); // reading tells
  connection.once('close', () => scope.abort(new Error('The caller is gone')));
  for await (const bytes of open(port, connection.iterator({ destroyOnReturn: false }), { signal: scope.signal })) {
    if (!connection.writable) break;
    if (!connection.write(bytes)) await drained(connection);
  }
  connection.end();
}

/** The error of a connection that is refused, worded as Go's, with the reason. */
export function refusedDial(address: DialAddress, reason: string): Error {
  return failedDial(address, `connection refused: ${reason}`);
}

/** The error of a connection that cannot be opened, worded as Go's. */
export function failedDial({ host, port }: DialAddress, problem: string): Error {
  const at = host.includes(':') ? `[${host}]:${port}` : `${host}:${port}`;
  return new Error(`dial tcp ${at}: connect: ${problem}`);
}
