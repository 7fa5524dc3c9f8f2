import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { StatusError } from '../../api/client.ts';
import { type Clock, onAbort } from '../../base/index.ts';
import { joinConnections } from '../../wire/connections/index.ts';
import { handshake, WebSocketConnection } from '../../wire/websocket/index.ts';
import { statusOf } from './answer.ts';
import { answerBytes, judge, type PassOnRules } from './cluster-requests.ts';
import type { Viewer } from './viewer.ts';

/** With this subprotocol, a WebSocket carries the answer to a GET request; the Accept header follows in base64url. */
export const WATCH_PROTOCOL = 'keelson.watch.';
/** A WebSocket cannot have the header `X-Keelson-Reveal`. */
const REVEAL_PROTOCOL = 'keelson.reveal';
/** How a WebSocket is closed after a refusal, whose Status it has sent. */
const REFUSED = 4000;
/** The largest line of a watch. */
const MAX_LINE_BYTES = 16 * 1024 * 1024;

export interface SocketRequest {
  readonly request: IncomingMessage;
  readonly socket: Duplex;
  readonly first: Buffer;
  /** The target below `/cluster`. */
  readonly url: string;
  /** The subprotocols that the client offers, without the one with the key or token. */
  readonly protocols: readonly string[];
  /** The subprotocol with the key or token: the answer when no other was chosen, since browsers want one of those they offered. */
  readonly keyProtocol: string;
  readonly viewer: Viewer;
  readonly rules: PassOnRules;
  readonly clock: Clock;
  readonly signal: AbortSignal;
}

/** Serves a WebSocket to the API server: passed through, or as the answer to a GET request. Resolves when it is closed. */
export async function serveSocket(asked: SocketRequest): Promise<void> {
  const watch = asked.protocols.find((name) => name.startsWith(WATCH_PROTOCOL));
  await (watch === undefined ? passThrough(asked) : streamAnswer(asked, watch));
}

/** Answers a request for an upgrade with a Status. */
export function refuseSocket(socket: Duplex, error: unknown): void {
  const { status } = statusOf(error);
  endWith(socket, status.code, { 'content-type': 'application/json' }, `${JSON.stringify(status)}\n`);
}

async function passThrough(asked: SocketRequest): Promise<void> {
  const { request, socket, first, viewer, rules, protocols, keyProtocol } = asked;
  const passed = judge({ method: 'GET', url: asked.url, isRevealed: false }, {}, rules);
  if (passed.isBlanked) {
    const message = `Secrets cannot be read through a plain WebSocket, whose values are not hidden; offer the subprotocol ${WATCH_PROTOCOL}…`;
    throw new StatusError({ code: 400, reason: 'BadRequest', message });
  }
  using left = leavingOf(socket, asked.signal);
  const answer = await viewer.upgrade({
    method: 'GET',
    path: passed.target.path,
    headers: {
      connection: 'Upgrade',
      upgrade: 'websocket',
      'sec-websocket-version': header(request, 'sec-websocket-version'),
      'sec-websocket-key': header(request, 'sec-websocket-key'),
      ...(request.headers.origin === undefined ? {} : { origin: request.headers.origin }),
      ...(protocols.length === 0 ? {} : { 'sec-websocket-protocol': protocols.join(', ') }),
    },
    signal: left.signal,
  });
  if (!('socket' in answer)) {
    const chunks: Uint8Array[] = [];
    for await (const chunk of answer.chunks) chunks.push(chunk);
    const type = String(answer.headers['content-type'] ?? 'text/plain');
    endWith(socket, answer.status, { 'content-type': type }, Buffer.concat(chunks).toString());
    return;
  }
  const chosen = String(answer.headers['sec-websocket-protocol'] ?? keyProtocol);
  socket.write(
    headText(101, {
      upgrade: 'websocket',
      connection: 'Upgrade',
      'sec-websocket-accept': String(answer.headers['sec-websocket-accept'] ?? ''),
      ...(chosen === '' ? {} : { 'sec-websocket-protocol': chosen }),
    }),
  );
  if (first.length > 0) socket.unshift(first);
  const end = onAbort(asked.signal, () => socket.destroy());
  await joinConnections(socket, answer.socket).finally(() => end[Symbol.dispose]());
}

async function streamAnswer(asked: SocketRequest, protocol: string): Promise<void> {
  const { request, socket, first, viewer, rules, clock } = asked;
  const accept = Buffer.from(protocol.slice(WATCH_PROTOCOL.length), 'base64url').toString('utf8');
  const isRevealed = asked.protocols.includes(REVEAL_PROTOCOL);
  const { code, headers, body } = handshake(
    (name) => header(request, name) || undefined,
    () => protocol,
  );
  if (code !== 101) return endWith(socket, code, headers, body);
  socket.write(headText(101, headers));
  if (first.length > 0) socket.unshift(first);
  const connection = new WebSocketConnection(socket, { clock, protocol });
  using left = leavingOf(socket, asked.signal);
  void untilClosed(connection).then(() => left.abort());
  try {
    const passed = judge(
      { method: 'GET', url: asked.url, isRevealed },
      { accept: accept === '' ? undefined : accept },
      rules,
    );
    const answer = await viewer.send({
      method: 'GET',
      path: passed.target.path,
      headers: passed.headers,
      signal: left.signal,
    });
    const isLog = passed.target.subresource === 'log';
    if (answer.status !== 200) return await refuse(connection, await textOf(answerBytes(answer, passed)));
    const bytes = answerBytes(answer, passed);
    for await (const message of isLog ? bytes : lines(bytes)) await connection.send(message);
    connection.close();
  } catch (error) {
    if (!left.signal.aborted) await refuse(connection, JSON.stringify(statusOf(error).status));
  } finally {
    connection.close();
  }
}

async function refuse(connection: WebSocketConnection, text: string): Promise<void> {
  await connection.send(text);
  connection.close(REFUSED);
}

/** Reads what the client sends, which means nothing, until it closes the connection. */
async function untilClosed(connection: WebSocketConnection): Promise<void> {
  try {
    for await (const _message of connection);
  } catch {
    // a connection that broke is closed too
  }
}

async function textOf(bytes: AsyncIterable<Uint8Array>): Promise<string> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of bytes) chunks.push(chunk);
  return Buffer.concat(chunks).toString('utf8');
}

/** The lines of a stream, without their ends; empty ones are left out. */
async function* lines(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  let parts: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of bytes) {
    let from = 0;
    for (let at = chunk.indexOf(0x0a); at >= 0; at = chunk.indexOf(0x0a, from)) {
      const line = Buffer.concat([...parts, chunk.subarray(from, at)]).toString('utf8');
      if (line !== '') yield line;
      parts = [];
      length = 0;
      from = at + 1;
    }
    if (from === chunk.length) continue;
    parts.push(chunk.subarray(from));
    length += chunk.length - from;
    if (length > MAX_LINE_BYTES) throw new Error(`Cannot pass on a line of more than ${MAX_LINE_BYTES} bytes`);
  }
  if (length > 0) yield Buffer.concat(parts).toString('utf8');
}

/** Aborts when the client's connection is closed, or the server stops. */
function leavingOf(socket: Duplex, signal: AbortSignal): Disposable & { readonly signal: AbortSignal; abort(): void } {
  const left = new AbortController();
  const leave = (): void => left.abort(new Error('the client has left'));
  socket.once('close', leave);
  const stopping = onAbort(signal, leave);
  return {
    signal: left.signal,
    abort: leave,
    [Symbol.dispose]: () => {
      socket.off('close', leave);
      stopping[Symbol.dispose]();
    },
  };
}

const REASONS: Readonly<Record<number, string>> = { 101: 'Switching Protocols', 400: 'Bad Request', 403: 'Forbidden' };

function headText(code: number, headers: Readonly<Record<string, string>>): string {
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value.replaceAll(/[\r\n]/g, ' ')}\r\n`);
  return `HTTP/1.1 ${code} ${REASONS[code] ?? 'Refused'}\r\n${lines.join('')}\r\n`;
}

function endWith(socket: Duplex, code: number, headers: Readonly<Record<string, string>>, body: string): void {
  const length = String(Buffer.byteLength(body));
  const own = { ...headers, 'content-length': length, 'x-content-type-options': 'nosniff', connection: 'close' };
  socket.on('error', () => undefined);
  socket.end(headText(code, own) + body);
}

function header(request: IncomingMessage, name: string): string {
  const value = request.headers[name];
  return typeof value === 'string' ? value : '';
}
