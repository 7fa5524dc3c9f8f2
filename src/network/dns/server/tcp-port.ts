import { once } from 'node:events';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import type { Clock, Logger } from '../../../base/index.ts';
import { FrameReader, framed } from '../../../wire/dns/index.ts';
import type { QueryHandler } from './query-handler.ts';

export interface TcpLimits {
  /** Connections at once; default 512. The one that has been silent for longest makes place. */
  readonly maxConnections?: number;
  /** Questions of a connection that wait for their answer; default 64. More are not read. */
  readonly maxInFlight?: number;
  /** A connection is closed after this time without a question; default 10 s. */
  readonly idleMs?: number;
  /** A question must be whole within this time; default 3 s. */
  readonly readMs?: number;
}

export interface TcpPortTools {
  readonly handler: QueryHandler;
  readonly clock: Clock;
  readonly log: Logger;
  readonly limits?: TcpLimits;
}

/** Answers that the client does not read; above this nothing more is read from it. */
const MAX_UNSENT_BYTES = 256 * 1024;

/**
 * Answers questions over TCP on one address. Answers are sent when they are there, in any order (RFC 7766).
 *
 * Guarantees: a connection has at most `maxInFlight` questions that wait and 256 KiB of answers that its client has not read,
 * and one whole answer more. Ends: with `close`.
 */
export class TcpPort {
  readonly #server: Server;
  readonly #tools: TcpPortTools;
  /** In the order of their last question, longest ago first. */
  readonly #connections = new Set<Connection>();

  /** Opens the port; 0 takes any free one. */
  static async open(host: string, port: number, tools: TcpPortTools): Promise<TcpPort> {
    const server = createServer({ noDelay: true, allowHalfOpen: true });
    server.listen({ port, host, ipv6Only: host.includes(':') });
    await once(server, 'listening');
    return new TcpPort(server, tools);
  }

  private constructor(server: Server, tools: TcpPortTools) {
    this.#server = server;
    this.#tools = tools;
    server.on('connection', (socket) => this.#accept(socket));
    server.on('error', (error) => tools.log.warn('cannot accept over TCP', { error }));
  }

  get address(): AddressInfo {
    return this.#server.address() as AddressInfo;
  }

  get connectionCount(): number {
    return this.#connections.size;
  }

  async close(): Promise<void> {
    const closed = once(this.#server, 'close');
    this.#server.close();
    for (const connection of this.#connections) connection.end();
    await closed;
  }

  #accept(socket: Socket): void {
    const { maxConnections = 512 } = this.#tools.limits ?? {};
    if (this.#connections.size >= maxConnections) {
      const [oldest] = this.#connections;
      oldest?.end();
    }
    const connection: Connection = new Connection(socket, this.#tools, {
      onQuestion: () => {
        this.#connections.delete(connection);
        this.#connections.add(connection);
      },
      onEnd: () => this.#connections.delete(connection),
    });
    this.#connections.add(connection);
  }
}

interface ConnectionEvents {
  onQuestion(): void;
  onEnd(): void;
}

class Connection {
  readonly #socket: Socket;
  readonly #tools: TcpPortTools;
  readonly #events: ConnectionEvents;
  readonly #frames = new FrameReader();
  readonly #address: string;
  /** Questions that were read and are not taken yet. */
  #messages: Iterator<Buffer, void> | undefined;
  #inFlight = 0;
  #timer: Disposable | undefined;
  #isEnded = false;
  #hasSaidAll = false;

  constructor(socket: Socket, tools: TcpPortTools, events: ConnectionEvents) {
    this.#socket = socket;
    this.#tools = tools;
    this.#events = events;
    this.#address = socket.remoteAddress ?? '';
    socket.on('data', (chunk) => this.#read(chunk));
    socket.on('drain', () => this.#goOn());
    socket.on('error', () => this.end()); // the client has gone
    socket.on('close', () => this.end());
    socket.on('end', () => {
      this.#hasSaidAll = true;
      this.#goOn();
    });
    this.#plan(tools.limits?.idleMs ?? 10_000);
  }

  end(): void {
    if (this.#isEnded) return;
    this.#isEnded = true;
    this.#timer?.[Symbol.dispose]();
    this.#events.onEnd();
    if (this.#socket.writableLength > 0 && !this.#hasSaidAll) this.#socket.destroy(); // its client does not read
    else this.#socket.destroySoon();
  }

  #read(chunk: Buffer): void {
    this.#messages = this.#frames.push(chunk);
    this.#goOn();
  }

  /** Takes questions as long as there is room for them, and reads more when all that were read are taken. */
  #goOn(): void {
    const { maxInFlight = 64, idleMs = 10_000, readMs = 3000 } = this.#tools.limits ?? {};
    while (!this.#isEnded && this.#inFlight < maxInFlight && this.#socket.writableLength <= MAX_UNSENT_BYTES) {
      const next = this.#messages?.next();
      if (next === undefined || next.done === true) {
        this.#messages = undefined;
        if (this.#hasSaidAll && this.#inFlight === 0) this.end();
        else this.#socket.resume();
        return;
      }
      this.#events.onQuestion();
      this.#plan(this.#frames.isWithinMessage ? readMs : idleMs);
      this.#answer(next.value);
    }
    if (!this.#isEnded) this.#socket.pause();
  }

  #answer(bytes: Buffer): void {
    const answer = this.#tools.handler.handle(bytes, { address: this.#address, transport: 'tcp' });
    if (answer === undefined) {
      this.end(); // what is not a question does not belong on a connection
      return;
    }
    if (!(answer instanceof Promise)) {
      this.#send(answer);
      return;
    }
    this.#inFlight += 1;
    void answer.then((late) => {
      this.#inFlight -= 1;
      if (late !== undefined) this.#send(late);
      this.#goOn();
    });
  }

  #send(answer: Buffer): void {
    if (!this.#isEnded) this.#socket.write(framed(answer));
  }

  #plan(ms: number): void {
    this.#timer?.[Symbol.dispose]();
    this.#timer = this.#tools.clock.timer(ms, () => {
      if (this.#inFlight > 0) this.#plan(ms);
      else this.end();
    });
  }
}
