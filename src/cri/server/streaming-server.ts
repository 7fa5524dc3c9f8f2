import { Buffer } from 'node:buffer';
import { once } from 'node:events';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import type { Clock, Logger, Random } from '../../base/index.ts';
import {
  type NodeAnswer,
  type NodeRequest,
  NodeServer,
  type OpenPort,
  type OpenProcess,
  serveCommand,
  servePorts,
  type StreamEndpoint,
} from '../../node/index.ts';
import { GrpcError } from '../../wire/grpc/index.ts';
import { WEBSOCKET_COMMAND_PROTOCOLS } from '../../wire/remote-command/index.ts';

/** How long a client has to connect to the URL that it was given. */
const TOKEN_LIFE_MS = 60_000;
/** URLs that clients have not connected to yet. */
const MAX_TOKENS = 1000;
const MAX_CONNECTIONS = 10_000;
const TOKEN_BYTES = 12;
/** Clients of today offer nothing but v5, in which stdin can be closed. */
const WEBSOCKET_PROTOCOLS = ['v5.channel.k8s.io', ...WEBSOCKET_COMMAND_PROTOCOLS];

export interface StreamingServerOptions {
  /** Where it listens; a host alone takes a free port. */
  readonly host: string;
  readonly port: number;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
}

interface Stream {
  readonly expiresAtMs: number;
  answer(request: NodeRequest): NodeAnswer;
}

interface WantedCommand {
  readonly tty: boolean;
  readonly stdin: boolean;
  readonly stdout: boolean;
  readonly stderr: boolean;
}

/**
 * The HTTP server behind the URLs that `Exec`, `Attach` and `PortForward` answer with, over SPDY and WebSocket. A URL holds a secret
 * and is good for one connection within a minute.
 */
export class StreamingServer implements AsyncDisposable {
  readonly #options: StreamingServerOptions;
  readonly #streams = new Map<string, Stream>();
  readonly #http: NodeServer;
  readonly #listener: Server;
  readonly #sockets = new Set<Socket>();

  static async listen(options: StreamingServerOptions): Promise<StreamingServer> {
    const server = new StreamingServer(options);
    server.#listener.listen(options.port, options.host);
    await once(server.#listener, 'listening');
    return server;
  }

  private constructor(options: StreamingServerOptions) {
    this.#options = options;
    this.#http = new NodeServer((request) => this.#answer(request), options.log);
    this.#listener = createServer((socket) => {
      this.#sockets.add(socket);
      socket.once('close', () => this.#sockets.delete(socket));
      socket.on('error', () => undefined); // the HTTP server sees it as well
      this.#http.accept(socket);
    });
    this.#listener.maxConnections = MAX_CONNECTIONS;
  }

  /** The URL of a command; a runtime with a streaming server of its own has given one already. */
  commandUrl(
    kind: 'exec' | 'attach',
    endpoint: StreamEndpoint<OpenProcess>,
    { tty, stdin, stdout, stderr }: WantedCommand,
  ): string {
    if (endpoint.type === 'url') return endpoint.url;
    const wanted = { tty, stdin, stdout, stderr: stderr && !tty };
    const { clock } = this.#options;
    return this.#urlOf(kind, (request) =>
      serveCommand(request, wanted, {
        open: endpoint.open,
        clock,
        isAttach: kind === 'attach',
        webSocketProtocols: WEBSOCKET_PROTOCOLS,
      }),
    );
  }

  portUrl(endpoint: StreamEndpoint<OpenPort>, pod: string, ports: readonly number[]): string {
    if (endpoint.type === 'url') return endpoint.url;
    const { clock } = this.#options;
    return this.#urlOf('portforward', (request) =>
      servePorts(request, ports, { connect: endpoint.open, pod, clock, ended: endpoint.ended }),
    );
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const closed = once(this.#listener, 'close');
    this.#listener.close();
    this.#http[Symbol.dispose]();
    for (const socket of this.#sockets) socket.destroy();
    await closed;
  }

  #urlOf(kind: string, answer: Stream['answer']): string {
    const { clock, random } = this.#options;
    const nowMs = clock.now();
    for (const [token, { expiresAtMs }] of this.#streams) if (expiresAtMs <= nowMs) this.#streams.delete(token);
    if (this.#streams.size >= MAX_TOKENS)
      throw new GrpcError('RESOURCE_EXHAUSTED', `${MAX_TOKENS} streams wait for their clients already`);
    const token = Buffer.from(random.bytes(TOKEN_BYTES)).toString('base64url');
    this.#streams.set(token, { expiresAtMs: nowMs + TOKEN_LIFE_MS, answer });
    const { address, port, family } = this.#listener.address() as AddressInfo;
    return `http://${family === 'IPv6' ? `[${address}]` : address}:${port}/${kind}/${token}`;
  }

  async #answer(request: NodeRequest): Promise<NodeAnswer> {
    const token = /^\/(?:exec|attach|portforward)\/([\w-]+)$/.exec(request.path)?.[1] ?? '';
    const stream = this.#streams.get(token);
    this.#streams.delete(token);
    if (stream === undefined || stream.expiresAtMs <= this.#options.clock.now())
      return { type: 'text', code: 404, text: 'the stream is unknown, has expired, or was used before' };
    return stream.answer(request);
  }
}
