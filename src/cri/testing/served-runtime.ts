// A CRI server and a client of it in one process, over a unix socket, for tests in virtual time.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Clock, discardLogger, nextTurn, SeededRandom, settle } from '../../base/index.ts';
import type { ContainerEvent, RuntimeService } from '../../node/index.ts';
import type { Method } from '../../wire/grpc/index.ts';
import type { CriCallOptions } from '../cri-calls.ts';
import { CriCalls, CriImages, CriRuntime, CriServer, type ServedRuntime } from '../index.ts';

/** Counts what is under way between client and server, so that tests can wait for it without a sleep. */
class Traffic {
  calls = 0;
  sent = 0;
  received = 0;
  /** The names of the calls since they were last taken. */
  made: string[] = [];

  get isQuiet(): boolean {
    return this.calls === 0 && this.sent === this.received;
  }

  /** Waits until no call is under way and every event has arrived. */
  async settle(): Promise<void> {
    for (;;) {
      await settle();
      if (!this.isQuiet) {
        await nextTurn();
        continue;
      }
      await settle(); // what the last answer has set off
      if (this.isQuiet) return;
    }
  }
}

class CountedCalls extends CriCalls {
  readonly #traffic: Traffic;

  constructor(traffic: Traffic, options: ConstructorParameters<typeof CriCalls>[0]) {
    super(options);
    this.#traffic = traffic;
  }

  override async call<Request, Response>(
    method: Method<Request, Response>,
    request: Request,
    options?: CriCallOptions,
  ): Promise<Response> {
    this.#traffic.calls += 1;
    this.#traffic.made.push(method.path.slice(method.path.lastIndexOf('/') + 1));
    try {
      return await super.call(method, request, options);
    } finally {
      this.#traffic.calls -= 1;
    }
  }

  override async *stream<Request, Response>(
    method: Method<Request, Response>,
    request: Request,
    signal: AbortSignal,
  ): AsyncGenerator<Response> {
    try {
      for await (const message of super.stream(method, request, signal)) {
        this.#traffic.received += 1;
        yield message;
      }
    } finally {
      this.#traffic.received = this.#traffic.sent;
    }
  }
}

/** The runtime behind a server, with its events counted. */
function counted(runtime: RuntimeService, traffic: Traffic): RuntimeService {
  async function* containerEvents(signal: AbortSignal): AsyncGenerator<ContainerEvent> {
    for await (const event of runtime.containerEvents(signal)) {
      traffic.sent += 1;
      yield event;
    }
  }
  return new Proxy(runtime, {
    get: (target, name) => {
      if (name === 'containerEvents') return containerEvents;
      const value: unknown = Reflect.get(target, name, target);
      return typeof value === 'function' ? (value.bind(target) as unknown) : value;
    },
  });
}

/** A runtime behind a socket, and a way to call it. */
export class RuntimeBehindSocket implements AsyncDisposable {
  readonly endpoint: string;
  readonly #folder: string;
  readonly #served: ServedRuntime;
  readonly #clock: Clock;
  readonly #traffic = new Traffic();
  readonly #clients = new Set<CriCalls>();
  #server: CriServer | undefined;

  static async serve(served: ServedRuntime, clock: Clock): Promise<RuntimeBehindSocket> {
    const behind = new RuntimeBehindSocket(await mkdtemp(join(tmpdir(), 'keelson-cri-')), served, clock);
    await behind.start();
    return behind;
  }

  private constructor(folder: string, served: ServedRuntime, clock: Clock) {
    this.#folder = folder;
    this.#served = served;
    this.#clock = clock;
    this.endpoint = `unix://${join(folder, 'cri.sock')}`;
  }

  get podLogs(): string {
    return join(this.#folder, 'pods');
  }

  readonly settle = (): Promise<void> => this.#traffic.settle();

  /** The names of the calls that clients have made since this was last asked, in order. */
  takeCalls(): readonly string[] {
    return this.#traffic.made.splice(0);
  }

  async start(): Promise<void> {
    const { runtime } = this.#served;
    this.#server = await CriServer.listen(
      { ...this.#served, runtime: counted(runtime, this.#traffic) },
      { listen: this.endpoint, clock: this.#clock, random: new SeededRandom(1), log: discardLogger },
    );
  }

  async stop(): Promise<void> {
    await this.#server?.[Symbol.asyncDispose]();
    this.#server = undefined;
  }

  connect(name: string): { readonly calls: CriCalls; readonly runtime: CriRuntime; readonly images: CriImages } {
    const random = new SeededRandom(2);
    const parts = { endpoint: this.endpoint, clock: this.#clock, random, log: discardLogger };
    const calls = new CountedCalls(this.#traffic, parts);
    this.#clients.add(calls);
    return { calls, runtime: new CriRuntime(name, calls), images: new CriImages(calls) };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const client of this.#clients) await client[Symbol.asyncDispose]();
    await this.stop();
    await rm(this.#folder, { recursive: true, force: true });
  }
}
