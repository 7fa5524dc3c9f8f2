import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';

/** A proxy between a client and a server on this machine that can simulate network failures. */
export class TestProxy implements AsyncDisposable {
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  #isStalled = false;
  #isRefusing = false;

  private constructor(server: Server) {
    this.#server = server;
  }

  static async start(address: string): Promise<TestProxy> {
    const server = createServer();
    const proxy = new TestProxy(server);
    const { hostname, port } = new URL(address);
    server.on('connection', (client) => {
      if (proxy.#isRefusing) client.destroy();
      else proxy.#join(client, connect(Number(port), hostname));
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return proxy;
  }

  get address(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** Stops passing bytes on, without closing anything. */
  stall(): void {
    this.#isStalled = true;
  }

  /** Cuts all connections, and refuses new ones until `accept`. */
  refuse(): void {
    this.#isRefusing = true;
    for (const socket of this.#sockets) socket.destroy();
  }

  accept(): void {
    this.#isRefusing = false;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const closed = once(this.#server, 'close');
    this.#server.close();
    for (const socket of this.#sockets) socket.destroy();
    await closed;
  }

  #join(left: Socket, right: Socket): void {
    for (const [from, to] of [
      [left, right],
      [right, left],
    ] as const) {
      this.#sockets.add(from);
      from.on('data', (piece) => this.#isStalled || to.write(piece));
      from.on('error', () => undefined); // the other side sees the close
      from.on('close', () => {
        this.#sockets.delete(from);
        to.destroy();
      });
    }
  }
}
