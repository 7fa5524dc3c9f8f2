import type { Duplex } from 'node:stream';
import { AbortScope, type Logger } from '../base/index.ts';
import type { NodeAgent, OpenPort } from '../node/index.ts';
import { NodeServer, RuntimeError } from '../node/server/index.ts';
import type { LocalConnections } from '../proxy/index.ts';
import { drained, duplexPair } from '../wire/connections/index.ts';

interface LocalNode {
  readonly agent: NodeAgent;
  readonly server: NodeServer;
}

/** The nodes of this process, which its API server reaches without a network. */
export class LocalNodes implements LocalConnections, Disposable {
  readonly #nodes = new Map<string, LocalNode>();
  readonly #log: Logger;

  constructor(log: Logger) {
    this.#log = log;
  }

  add(agent: NodeAgent): NodeServer {
    const { name, served } = agent;
    this.#nodes.get(name)?.server[Symbol.dispose]();
    const server = new NodeServer(served, this.#log.with({ node: name }));
    this.#nodes.set(name, { agent, server });
    return server;
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

  async portOf(name: string, pod: string, port: number): Promise<(() => Duplex) | undefined> {
    const node = this.#nodes.get(name);
    if (node === undefined) return undefined;
    let open: OpenPort | undefined;
    try {
      const endpoint = await node.agent.streams.portForward(pod, [port]);
      if (endpoint.type === 'url') return undefined; // real containers listen at their address
      open = endpoint.open;
    } catch (error) {
      if (!(error instanceof RuntimeError)) throw error;
    }
    return () => {
      const [near, far] = duplexPair();
      if (open === undefined) far.destroy();
      else void join(far, open, port);
      return near;
    };
  }

  [Symbol.dispose](): void {
    for (const { server } of this.#nodes.values()) server[Symbol.dispose]();
    this.#nodes.clear();
  }
}

/** Connects one end of a connection to a port. */
async function join(connection: Duplex, open: OpenPort, port: number): Promise<void> {
  using scope = new AbortScope();
  connection.on('error', () => undefined); // reading tells
  connection.once('close', () => scope.abort(new Error('The caller is gone')));
  try {
    for await (const bytes of open(port, connection.iterator({ destroyOnReturn: false }), { signal: scope.signal })) {
      if (!connection.writable) break;
      if (!connection.write(bytes)) await drained(connection);
    }
    connection.end();
  } catch {
    connection.destroy(); // its other end sees it closed
  }
}
