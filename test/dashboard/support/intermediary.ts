import { once } from 'node:events';
import { createServer, request, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import type { Duplex } from 'node:stream';

export interface IntermediaryOptions {
  /** The path below which the dashboard is to be found, as behind the service proxy of an API server. */
  readonly prefix?: string;
  /** Lets WebSockets through; default true. */
  readonly hasSockets?: boolean;
  /** Answers this many watches with 410 before it lets them through; WebSockets are refused then. */
  readonly expiresWatches?: number;
}

/** Stands between a browser and a dashboard, and lets go wrong what goes wrong on the way. */
export class Intermediary implements AsyncDisposable {
  readonly #server: Server;
  readonly #target: URL;
  readonly #options: IntermediaryOptions;
  readonly #sockets = new Set<Socket>();
  #isCut = false;
  #expired = 0;
  #streams = 0;
  #mostStreams = 0;

  private constructor(target: string, options: IntermediaryOptions) {
    this.#target = new URL(target);
    this.#options = options;
    this.#server = createServer((incoming, response) => this.#pass(incoming, response));
    this.#server.on('upgrade', (incoming: IncomingMessage, socket: Duplex, head: Buffer) =>
      this.#upgrade(incoming, { socket, head }),
    );
    this.#server.on('connection', (socket) => {
      if (this.#isCut) socket.destroy();
      this.#sockets.add(socket);
      socket.once('close', () => this.#sockets.delete(socket));
    });
  }

  static async start(target: string, options: IntermediaryOptions = {}): Promise<Intermediary> {
    const between = new Intermediary(target, options);
    between.#server.listen(0, '127.0.0.1');
    await once(between.#server, 'listening');
    return between;
  }

  get origin(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** How many watches were answered with 410. */
  get expired(): number {
    return this.#expired;
  }

  /** The most watches that were open at once by plain requests. */
  get streams(): number {
    return this.#mostStreams;
  }

  /** Ends all connections, and refuses others. */
  cut(): void {
    this.#isCut = true;
    for (const socket of this.#sockets) socket.destroy();
  }

  mend(): void {
    this.#isCut = false;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.cut();
    this.#server.close();
    await once(this.#server, 'close');
  }

  #pass(incoming: IncomingMessage, response: ServerResponse): void {
    const isWatch = (incoming.url ?? '').includes('watch=1');
    if (isWatch && this.#expired < (this.#options.expiresWatches ?? 0)) {
      this.#expired++;
      const status = {
        kind: 'Status',
        apiVersion: 'v1',
        status: 'Failure',
        reason: 'Expired',
        code: 410,
        message: 'too old resource version',
      };
      response.writeHead(200, { 'content-type': 'application/json' });
      response.end(`${JSON.stringify({ type: 'ERROR', object: status })}\n`);
      return;
    }
    if (isWatch) this.#count(response);
    const outgoing = request(this.#outgoing(incoming), (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers);
      response.flushHeaders();
      answer.pipe(response);
    });
    outgoing.on('error', () => response.destroy());
    response.on('close', () => outgoing.destroy());
    incoming.pipe(outgoing);
  }

  #count(response: ServerResponse): void {
    this.#streams++;
    this.#mostStreams = Math.max(this.#mostStreams, this.#streams);
    response.once('close', () => this.#streams--);
  }

  #upgrade(incoming: IncomingMessage, { socket, head }: { readonly socket: Duplex; readonly head: Buffer }): void {
    const { hasSockets = true, expiresWatches = 0 } = this.#options;
    if (!hasSockets || expiresWatches > 0) {
      socket.end('HTTP/1.1 501 Not Implemented\r\nContent-Length: 0\r\n\r\n');
      return;
    }
    const outgoing = request(this.#outgoing(incoming));
    outgoing.on('upgrade', (answer, other, first) => {
      const headers = answer.rawHeaders.flatMap((name, index) =>
        index % 2 === 0 ? [`${name}: ${answer.rawHeaders[index + 1] ?? ''}`] : [],
      );
      socket.write(`HTTP/1.1 101 Switching Protocols\r\n${headers.join('\r\n')}\r\n\r\n`);
      socket.write(first);
      other.write(head);
      other.pipe(socket).pipe(other);
      other.on('error', () => socket.destroy());
      socket.on('error', () => other.destroy());
      socket.on('close', () => other.destroy());
      other.on('close', () => socket.destroy());
    });
    outgoing.on('response', () => socket.end('HTTP/1.1 502 Bad Gateway\r\nContent-Length: 0\r\n\r\n'));
    outgoing.on('error', () => socket.destroy());
    outgoing.end();
  }

  #outgoing(incoming: IncomingMessage) {
    const path = (incoming.url ?? '/').slice((this.#options.prefix ?? '').length);
    const headers = { ...incoming.headers, host: this.#target.host };
    // what the dashboard checks of its own site would be that of the intermediary
    if (headers.origin !== undefined) headers.origin = this.#target.origin;
    return { host: this.#target.hostname, port: this.#target.port, path, method: incoming.method, headers };
  }
}
