import { get } from 'node:https';
import { connect, createServer, type Server, type Socket } from 'node:net';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { type Clock } from '../../src/base/index.ts';

const CHECK_EVERY_MS = 1000;
const CHECK_TIMEOUT_MS = 1000;
/** After this many checks without an answer a server counts as gone. */
const SILENCES = 2;

interface Backend {
  readonly port: number;
  isReady: boolean;
  readonly sockets: Set<Socket>;
}

/** Passes connections on to servers that say that they are ready, in turns; those to servers that say nothing are closed. */
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
      one.on('error', () => undefined); // its 'close' event follows
      one.on('close', () => {
        backend.sockets.delete(one);
        other.destroy();
      });
      one.pipe(other);
    }
  }

  async #watch(backend: Backend, clock: Clock): Promise<void> {
    const { signal } = this.#stop;
    let silences = 0;
    while (!signal.aborted) {
      const code = await readinessOf(backend.port);
      silences = code === undefined ? silences + 1 : 0;
      backend.isReady = code === 200 || (silences > 0 && silences < SILENCES && backend.isReady);
      if (silences >= SILENCES) drop(backend); // one that answers may finish what it is at
      await clock.sleep(CHECK_EVERY_MS, signal);
    }
  }
}

function drop({ sockets }: Backend): void {
  for (const socket of sockets) socket.destroy();
}

/** Whether the server at this port says that it is ready. */
export async function isReady(port: number): Promise<boolean> {
  return (await readinessOf(port)) === 200;
}

/** What it answers; undefined when it does not in time. */
function readinessOf(port: number): Promise<number | undefined> {
  return new Promise((resolve) => {
    const options = { host: '127.0.0.1', port, path: '/readyz', rejectUnauthorized: false, timeout: CHECK_TIMEOUT_MS };
    const request = get({ ...options, agent: false }, (response) => {
      response.resume();
      resolve(response.statusCode);
    });
    request.on('timeout', () => request.destroy());
    request.on('error', () => resolve(undefined));
  });
}
