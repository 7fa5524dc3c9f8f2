import { once } from 'node:events';
import { createServer, type Http2Server, type ServerHttp2Session, type ServerHttp2Stream } from 'node:http2';
import type { AddressInfo } from 'node:net';
import { Deframer, frame } from '../framing.ts';

/** One call from the server's point of view. */
export interface ServedCall {
  readonly stream: ServerHttp2Stream;
  readonly headers: Readonly<Record<string, string>>;
  /** The client's messages, until it ends its stream. */
  readonly messages: AsyncIterable<Uint8Array>;
  /** Sends a message, after the headers if they are not sent yet. */
  send(message: Uint8Array): void;
  /** Ends the call; if no message was sent before, everything goes into the headers ("trailers only"). */
  finish(trailers: Readonly<Record<string, string>>): void;
}

export type Handlers = Readonly<Record<string, (call: ServedCall) => void | Promise<void>>>;

const GRPC_HEADERS = { ':status': 200, 'content-type': 'application/grpc' };

/** A gRPC server for tests of the client, on node:http2 alone. Disposing closes it and all its connections. */
export class GrpcServer implements AsyncDisposable {
  readonly #server: Http2Server;
  readonly #sessions = new Set<ServerHttp2Session>();
  readonly address: string;

  private constructor(server: Http2Server, address: string) {
    this.#server = server;
    this.address = address;
    server.on('session', (session) => {
      this.#sessions.add(session);
      session.on('close', () => this.#sessions.delete(session));
    });
  }

  /** Listens on a free port, or on a unix socket at `path`. */
  static async start(handlers: Handlers, path?: string): Promise<GrpcServer> {
    const server = createServer();
    server.on('stream', (stream, headers) => {
      stream.on('error', () => undefined); // many of the tests are about clients that disconnect
      const handler = handlers[String(headers[':path'])];
      if (handler === undefined) stream.respond({ ...GRPC_HEADERS, 'grpc-status': '12' }, { endStream: true });
      else void handler(servedCall(stream, headers as Record<string, string>));
    });
    if (path === undefined) server.listen(0, '127.0.0.1');
    else server.listen(path);
    await once(server, 'listening');
    const address = path === undefined ? `http://127.0.0.1:${(server.address() as AddressInfo).port}` : `unix:${path}`;
    return new GrpcServer(server, address);
  }

  get connections(): number {
    return this.#sessions.size;
  }

  /** Cuts all connections, as a crash would. */
  cut(): void {
    for (const session of this.#sessions) session.destroy();
  }

  /** Sends GOAWAY to all clients; calls in flight may finish. */
  goAway(): void {
    for (const session of this.#sessions) session.close();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const closed = once(this.#server, 'close');
    this.#server.close();
    this.cut();
    await closed;
  }
}

function servedCall(stream: ServerHttp2Stream, headers: Record<string, string>): ServedCall {
  return {
    stream,
    headers,
    messages: readMessages(stream),
    send(message) {
      if (!stream.headersSent) stream.respond(GRPC_HEADERS, { waitForTrailers: true });
      stream.write(frame(message));
    },
    finish(trailers) {
      if (!stream.headersSent) return stream.respond({ ...GRPC_HEADERS, ...trailers }, { endStream: true });
      stream.on('wantTrailers', () => stream.sendTrailers(trailers));
      stream.end();
    },
  };
}

async function* readMessages(stream: ServerHttp2Stream): AsyncGenerator<Uint8Array, void, undefined> {
  const deframer = new Deframer(Infinity);
  const complete: Uint8Array[] = [];
  for await (const piece of stream as AsyncIterable<Buffer>) {
    deframer.push(piece, (message) => complete.push(message));
    yield* complete.splice(0);
  }
}
