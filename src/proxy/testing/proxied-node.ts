import { once } from 'node:events';
import type { Duplex } from 'node:stream';
import { CryptoRandom, RealClock, VirtualClock } from '../../base/index.ts';
import { newEncoder } from '../../apiserver/answers/testing/answer-fixture.ts';
import { MemoryServer } from '../../apiserver/testing/memory-server.ts';
import { startTransport, type TestTransport, text, turn } from '../../apiserver/transport/testing/test-transport.ts';
import { duplexPair } from '../../wire/connections/index.ts';
import { HttpClient, type UpgradedConnection } from '../../wire/http/index.ts';
import { openWebSocket, WebSocketConnection } from '../../wire/websocket/index.ts';
import { NodeConnections } from '../node-connections.ts';
import { NodeProxy, type PodTarget } from '../node-proxy.ts';

/** Serves, on a node, a connection that has been upgraded to SPDY. */
export type ServeNode = (connection: Duplex) => void;

const ACCEPTED = [
  'HTTP/1.1 101 Switching Protocols',
  'Connection: Upgrade',
  'Upgrade: SPDY/3.1',
  'X-Stream-Protocol-Version: v4.channel.k8s.io',
];
const NODE = 'node-1';
const MAX_TURNS = 20_000;
const { signal } = new AbortController();

/** A server that forwards every request to a node, a node whose behaviour the test defines, and a client over TLS. */
export class ProxiedNode implements AsyncDisposable {
  /** The proxy's clock. */
  readonly clock = new VirtualClock();
  /** The node's ends of all connections to it. */
  readonly connections: Duplex[] = [];
  readonly transport: TestTransport;
  readonly client: HttpClient;
  readonly #memory: MemoryServer;
  readonly #nodes: NodeConnections;

  static async start(type: PodTarget['type'], serve: ServeNode): Promise<ProxiedNode> {
    const node: { made?: ProxiedNode } = {};
    const encoder = newEncoder();
    const transport = await startTransport(async (call) => {
      if (call.request.path === '/alive' || node.made === undefined) return text(call.request.path);
      const pod = { metadata: { namespace: 'default', name: 'web' } };
      const target = { type, node: NODE, pod, container: 'main' };
      return encoder.encode(await node.made.#proxy().connect(target, call), call);
    });
    node.made = new ProxiedNode(transport, serve);
    return node.made;
  }

  private constructor(transport: TestTransport, serve: ServeNode) {
    this.transport = transport;
    this.#memory = new MemoryServer();
    const connectionTo = () => (): Duplex => {
      const [near, far] = duplexPair();
      this.connections.push(far);
      far.on('error', () => undefined);
      void accept(far, serve);
      return near;
    };
    const local = { connectionTo, isPodAddress: async () => false };
    this.#nodes = new NodeConnections({ objects: this.#memory.objects, clock: this.clock, local });
    this.client = new HttpClient({
      target: { server: new URL(transport.transport.url), insecureSkipTlsVerify: true },
      clock: new RealClock(),
      isHttp1Only: true,
    });
  }

  /** Connects as a client that speaks SPDY with the node. */
  async openSpdy(path: string, protocol: string): Promise<UpgradedConnection> {
    const headers = { connection: 'Upgrade', upgrade: 'SPDY/3.1', 'x-stream-protocol-version': protocol };
    const answer = await this.client.upgrade({ method: 'POST', path, headers, signal });
    if (!('socket' in answer)) throw new Error(`Refused with ${answer.status}`);
    answer.socket.on('error', () => undefined);
    return answer;
  }

  /** Connects as a client that speaks WebSocket with the server. */
  async openWebSocket(path: string, protocol: string): Promise<WebSocketConnection> {
    const options = { clock: new VirtualClock(), random: new CryptoRandom(), protocols: [protocol] };
    const connection = await openWebSocket(this.client, { path, headers: {}, signal }, options);
    if (connection instanceof WebSocketConnection) return connection;
    throw new Error(`Refused with ${connection.status}`);
  }

  /** Resolves when the server has finished its only call, and neither side holds anything of it. */
  async untilOver(): Promise<void> {
    const { observed } = this.transport;
    await observed.until(() => observed.answers.length === 1 && observed.open === 0);
    await until(() => this.connections.every(({ destroyed }) => destroyed));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.client.destroy();
    this.#nodes[Symbol.dispose]();
    for (const connection of this.connections) connection.destroy();
    await this.transport[Symbol.asyncDispose]();
    await this.#memory[Symbol.asyncDispose]();
  }

  #proxy(): NodeProxy {
    const { objects } = this.#memory;
    return new NodeProxy({ connections: this.#nodes, objects, random: new CryptoRandom(), clock: this.clock });
  }
}

/** Waits for sockets' events, without a time limit. */
export async function until(isSo: () => boolean): Promise<void> {
  for (let turns = 0; turns < MAX_TURNS; turns++) {
    if (isSo()) return;
    await turn();
  }
  throw new Error('The condition did not become true');
}

/** Waits until a number stops growing. */
export async function untilStill(count: () => number): Promise<number> {
  for (let before = -1, still = 0; ; before = count()) {
    still = count() === before ? still + 1 : 0;
    if (still === 200) return before;
    await turn();
  }
}

async function accept(connection: Duplex, serve: ServeNode): Promise<void> {
  let head = '';
  while (!head.includes('\r\n\r\n')) {
    const chunk = connection.read() as Buffer | null;
    if (chunk === null) await once(connection, 'readable');
    else head += chunk.toString('latin1');
  }
  connection.write(`${ACCEPTED.join('\r\n')}\r\n\r\n`);
  serve(connection);
}
