import { get } from 'node:https';
import { connect, createServer, type Server, type Socket } from 'node:net';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { type Clock } from '../../src/base/index.ts';

const CHECK_EVERY_MS = 1000;
const CHECK_TIMEOUT_MS = 1000;

interface Backend {
  readonly port: number;
  isReady: boolean;
  readonly sockets: Set<Socket>;
}

/** Passes connections on to servers that say that they are ready, in turns; those to servers that do not say so are closed. */
export class LoadBalancer implements AsyncDisposable {
  readonly #backends: readonly Backend[];
  readonly #server: Server;
  readonly #stop = new AbortController();
  readonly #checking: Promise<unknown>;
  #next = 0;

  static async start(ports: readonly number[], clock: Clock): Promise<LoadBalancer> {
    const made = new LoadBalancer(ports, clock);
    made.#server.listen(0, '127.0.0.1');
    await once(made.#server, 'listening');
    return made;
  }

  private constructor(ports: readonly number[], clock: Clock) {
    this.#backends = ports.map((port) => ({ port, isReady: false, sockets: new Set() }));
    this.#server = createServer((socket) => this.#accept(socket));
    this.#checking = Promise.all(this.#backends.map((backend) => this.#watch(backend, clock)));
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop.abort();
    this.#server.close();
    for (const backend of this.#backends) drop(backend);
    await this.#checking;
  }

  #accept(socket: Socket): void {
    const ready = this.#backends.filter(({ isReady }) => isReady);
    const backend = ready[this.#next++ % Math.max(ready.length, 1)];
    if (backend === undefined) return void socket.destroy();
    const far = connect({ port: backend.port, host: '127.0.0.1' });
    for (const [one, other] of [
      [socket, far],
      [far, socket],
    ] as const) {
      backend.sockets.add(one);
      one.on('error', () => undefined); // its close tells
      one.on('close', () => {
        backend.sockets.delete(one);
        other.destroy();
      });
      one.pipe(other);
    }
  }

  async #watch(backend: Backend, clock: Clock): Promise<void> {
    const { signal } = this.#stop;
    while (!signal.aborted) {
      backend.isReady = await isReady(backend.port);
      if (!backend.isReady) drop(backend);
      await clock.sleep(CHECK_EVERY_MS, signal);
    }
  }
}

function drop({ sockets }: Backend): void {
  for (const socket of sockets) socket.destroy();
}

/** Whether the server at this port says that it is ready. */
export function isReady(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const options = { host: '127.0.0.1', port, path: '/readyz', rejectUnauthorized: false, timeout: CHECK_TIMEOUT_MS };
    const request = get({ ...options, agent: false }, (response) => {
      response.resume();
      resolve(response.statusCode === 200);
    });
    request.on('timeout', () => request.destroy());
    request.on('error', () => resolve(false));
  });
}
