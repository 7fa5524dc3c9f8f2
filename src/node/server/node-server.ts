import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import { AbortScope, type Logger, messageOf } from '../../base/index.ts';
import { drained } from '../../wire/connections/index.ts';
import type { RequestGuard } from './node-access.ts';
import { HealthMetrics } from './health-checks.ts';
import { HttpMetrics } from './http-metrics.ts';
import { type NodeAnswer, type NodeRequest, refusal } from './node-request.ts';
import { answerNodeRequest, type ServedNode } from './node-routes.ts';
import type { ServingOptions } from './serving-options.ts';

/** Requests that a connection may keep open; more wait in line. */
const MAX_HEADER_BYTES = 64 * 1024;

/** The HTTP server of a node, as the API server expects it of a kubelet. Callers pass connections to it. */
export class NodeServer implements Disposable {
  readonly #answerOf: (request: NodeRequest) => Promise<NodeAnswer>;
  readonly #log: Logger;
  readonly #http: HttpMetrics | undefined;
  readonly #server: Server;
  readonly #scope = new AbortScope();
  readonly #connections = new Set<Duplex>();
  readonly #guards = new WeakMap<Duplex, RequestGuard>();

  /** A function in place of a node answers other requests, such as those to a runtime's streams; they are not measured. */
  constructor(
    node: ServedNode | ((request: NodeRequest) => Promise<NodeAnswer>),
    log: Logger,
    options: ServingOptions = {},
  ) {
    const isNode = typeof node !== 'function';
    this.#http = options.http ?? (isNode ? new HttpMetrics(node.clock) : undefined);
    const served = this.#http === undefined ? options : { health: new HealthMetrics(), ...options, http: this.#http };
    this.#answerOf = isNode ? (request) => answerNodeRequest(node, request, served) : node;
    this.#log = log;
    this.#server = createServer({ maxHeaderSize: MAX_HEADER_BYTES });
    this.#server.on('request', (request, response) => void this.#serve(request, response));
    this.#server.on('upgrade', (request, socket, first: Buffer) => void this.#upgrade(request, socket, first));
  }

  /** Serves a connection. Without a guard all requests are answered: the caller has to authorize the connection. */
  accept(connection: Duplex, guard?: RequestGuard): void {
    this.#connections.add(connection);
    if (guard !== undefined) this.#guards.set(connection, guard);
    connection.once('close', () => this.#connections.delete(connection));
    this.#server.emit('connection', connection);
  }

  [Symbol.dispose](): void {
    this.#scope.abort(new Error('The node stops'));
    for (const connection of this.#connections) connection.destroy();
    this.#server.close();
  }

  async #serve(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    using scope = new AbortScope(this.#scope.signal);
    response.once('close', () => scope.abort(new Error('The caller is gone')));
    incoming.resume();
    const ended = this.#http?.began(incoming.method ?? '', pathOf(incoming));
    if (ended !== undefined) response.once('close', ended);
    const answer = await this.#answer(incoming, scope.signal, false);
    try {
      await write(response, answer.type === 'upgrade' ? refusal(400, 'Upgrade request required') : answer);
    } catch (error) {
      if (!scope.signal.aborted) this.#log.warn('answer broke off', { error, path: incoming.url });
      response.destroy();
    }
  }

  async #upgrade(incoming: IncomingMessage, socket: Duplex, first: Buffer): Promise<void> {
    using scope = new AbortScope(this.#scope.signal);
    socket.on('error', () => undefined); // reading tells
    socket.once('close', () => scope.abort(new Error('The caller is gone')));
    const ended = this.#http?.began(incoming.method ?? '', pathOf(incoming));
    if (ended !== undefined) socket.once('close', ended);
    const answer = await this.#answer(incoming, scope.signal, true);
    if (answer.type === 'stream') {
      socket.end(head(400, { 'content-length': '0' }));
      return;
    }
    if (answer.type === 'text') {
      const text = Buffer.from(answer.text);
      socket.end(
        Buffer.concat([
          Buffer.from(head(answer.code, { 'content-length': String(text.length), connection: 'close' })),
          text,
        ]),
      );
      return;
    }
    socket.write(head(101, answer.headers));
    if (first.length > 0) socket.unshift(first);
    try {
      await answer.takeOver(socket);
      socket.end();
    } catch (error) {
      if (!scope.signal.aborted) this.#log.warn('stream broke off', { error, path: incoming.url });
      socket.destroy();
    }
  }

  async #answer(incoming: IncomingMessage, signal: AbortSignal, isUpgrade: boolean): Promise<NodeAnswer> {
    const { method = 'GET', url = '/' } = incoming;
    try {
      const { pathname, searchParams } = new URL(url, 'http://node');
      const header = (name: string): string | undefined => {
        const value = incoming.headers[name];
        return Array.isArray(value) ? value.join(', ') : value;
      };
      const request: NodeRequest = { method, path: pathname, query: searchParams, header, signal, isUpgrade };
      const refused = await this.#guards.get(incoming.socket)?.(request);
      return refused ?? (await this.#answerOf(request));
    } catch (error) {
      this.#log.warn('request failed', { error, path: url });
      return refusal(500, messageOf(error));
    }
  }
}

function pathOf({ url = '/' }: IncomingMessage): string {
  return url.split('?', 1)[0] ?? '';
}

async function write(
  response: ServerResponse,
  answer: Exclude<NodeAnswer, { readonly type: 'upgrade' }>,
): Promise<void> {
  if (answer.type === 'text') {
    const { code, contentType = 'text/plain; charset=utf-8', location } = answer;
    response.writeHead(code, { 'content-type': contentType, ...(location === undefined ? {} : { location }) });
    response.end(answer.text);
    return;
  }
  response.writeHead(200, { 'content-type': 'text/plain; charset=utf-8' });
  for await (const bytes of answer.body) {
    if (response.destroyed) return;
    if (!response.write(bytes)) await drained(response);
  }
  response.end();
}

function head(code: number, headers: Readonly<Record<string, string>>): string {
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  return `HTTP/1.1 ${code} ${code === 101 ? 'Switching Protocols' : 'Refused'}\r\n${lines.join('')}\r\n`;
}
