// A transport on a real port with real TLS for tests, and clients for it.

import assert from 'node:assert/strict';
import { Buffer } from 'node:buffer';
import { once } from 'node:events';
import { connect as connectHttp2 } from 'node:http2';
import type {
  ClientHttp2Session,
  ClientHttp2Stream,
  IncomingHttpHeaders,
  OutgoingHttpHeaders,
  SecureClientSessionOptions,
} from 'node:http2';
import { Agent, request as httpsRequest, type RequestOptions } from 'node:https';
import type { Socket } from 'node:net';
import { connect as connectTls, type ConnectionOptions, type TLSSocket } from 'node:tls';
import { type Clock, CryptoRandom, LineLogger, RandomUidSource, RealClock, VirtualClock } from '../../../base/index.ts';
import type { EncodedAnswer } from '../../answers/answer.ts';
import type { Call } from '../../request/call.ts';
import type { HttpTransport } from '../http-transport.ts';
import { listen, type ListenOptions } from '../listen.ts';
import type { SentAnswer, TransportObserver } from '../observer.ts';
import type { RequestHandler } from '../request-handler.ts';
import { type Identity, testAuthority } from './test-certificates.ts';

export type Respond = (call: Call) => EncodedAnswer | Promise<EncodedAnswer>;

/** What a client got. */
export interface Received {
  readonly code: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}

export interface ClientRequest {
  readonly method?: string;
  readonly path?: string;
  readonly headers?: OutgoingHttpHeaders;
  readonly body?: string | Uint8Array;
  readonly identity?: Identity;
}

export const authority = testAuthority('test authority');
const serving = authority.issueServer();

export function text(body: string, headers: EncodedAnswer['headers'] = {}, code = 200): EncodedAnswer {
  return { code, headers: { 'content-type': 'text/plain', ...headers }, body: Buffer.from(body) };
}

interface TestParts {
  readonly observed: RecordingObserver;
  readonly log: readonly string[];
  readonly stop: AbortController;
  readonly clock: Clock;
}

export class TestTransport implements AsyncDisposable {
  readonly transport: HttpTransport;
  readonly observed: RecordingObserver;
  /** Lines of warnings and errors. */
  readonly log: readonly string[];
  readonly #stop: AbortController;
  readonly #clock: Clock;
  readonly #sessions: ClientHttp2Session[] = [];
  readonly #agents: Agent[] = [];

  constructor(transport: HttpTransport, parts: TestParts) {
    this.transport = transport;
    this.observed = parts.observed;
    this.log = parts.log;
    this.#stop = parts.stop;
    this.#clock = parts.clock;
  }

  get port(): number {
    return this.transport.address.port;
  }

  stop(): void {
    this.#stop.abort();
  }

  /** An HTTP/2 connection, closed with the transport. */
  http2(identity?: Identity, options: SecureClientSessionOptions = {}): ClientHttp2Session {
    const session = connectHttp2(this.transport.url, { ...tlsOptions(identity), ...options });
    session.on('error', () => undefined);
    this.#sessions.push(session);
    return session;
  }

  async getHttp2(request: ClientRequest = {}): Promise<Received> {
    return over(this.http2(request.identity), request);
  }

  async getHttp1(request: ClientRequest = {}): Promise<Received> {
    const { method = 'GET', path = '/', headers = {}, body, identity } = request;
    const agent = new Agent({ keepAlive: false });
    this.#agents.push(agent);
    const options: RequestOptions = {
      ...tlsOptions(identity),
      method,
      path,
      headers,
      port: this.port,
      host: '127.0.0.1',
      agent,
    };
    const sent = httpsRequest(options);
    sent.end(body);
    const [response] = await once(sent, 'response');
    const chunks: Buffer[] = [];
    for await (const chunk of response) chunks.push(chunk);
    return { code: response.statusCode, headers: response.headers, body: Buffer.concat(chunks) };
  }

  /** A TLS connection for writing raw bytes. */
  async raw(options: ConnectionOptions = {}): Promise<TLSSocket> {
    const socket = connectTls({
      ...tlsOptions(),
      port: this.port,
      host: '127.0.0.1',
      ALPNProtocols: ['http/1.1'],
      ...options,
    });
    socket.on('error', () => undefined);
    await once(socket, 'secureConnect');
    return socket;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const session of this.#sessions) session.destroy();
    for (const agent of this.#agents) agent.destroy();
    const stopped = this.transport[Symbol.asyncDispose]();
    if (this.#clock instanceof VirtualClock) await this.#clock.advance('2s');
    await stopped;
  }
}

export type TestOptions = Partial<Omit<ListenOptions, 'observer' | 'signal'>>;

export async function startTransport(respond: Respond, options: TestOptions = {}): Promise<TestTransport> {
  const clock: Clock = options.clock ?? new RealClock();
  const observed = new RecordingObserver();
  const log: string[] = [];
  const stop = new AbortController();
  const transport = await listen(handlerOf(respond), {
    host: '127.0.0.1',
    port: 0,
    serving,
    clientAuthorities: authority.certificate,
    uids: new RandomUidSource(new CryptoRandom()),
    log: new LineLogger({ clock, level: 'warn', write: (line) => void log.push(line) }),
    ...options,
    clock,
    observer: observed,
    signal: stop.signal,
  });
  return new TestTransport(transport, { observed, log, stop, clock });
}

function handlerOf(respond: Respond): RequestHandler {
  return {
    handle: async (call) => respond(call),
    encode(answer) {
      if (answer.type !== 'status') throw new Error('Cannot encode: nothing was answered');
      return text(JSON.stringify(answer.status), { 'content-type': 'application/json' }, answer.status.code);
    },
  };
}

/** Sends one request on a session and waits for the whole answer. */
export async function over(session: ClientHttp2Session, request: ClientRequest = {}): Promise<Received> {
  const stream = open(session, request);
  const gone = once(stream, 'close').then(() => Promise.reject(new Error('Closed before an answer came')));
  const [headers] = (await Promise.race([once(stream, 'response'), gone])) as [IncomingHttpHeaders];
  gone.catch(() => undefined);
  const chunks: Buffer[] = [];
  for await (const chunk of stream) chunks.push(chunk as Buffer);
  return { code: Number(headers[':status']), headers, body: Buffer.concat(chunks) };
}

/** Begins a request on a session; sends its body, if any. */
export function open(session: ClientHttp2Session, request: ClientRequest = {}): ClientHttp2Stream {
  const { method = 'GET', path = '/', headers = {}, body } = request;
  const stream = session.request({ ...headers, ':method': method, ':path': path }, { endStream: body === undefined });
  if (body !== undefined) stream.end(body);
  return stream;
}

function tlsOptions(identity?: Identity): ConnectionOptions {
  const shown = identity === undefined ? {} : { cert: identity.certificate, key: identity.key };
  return { ca: authority.certificate, servername: 'localhost', ...shown };
}

/** Checks that the server still serves other clients, has logged no errors, and stops. */
export async function assertUnharmed(server: TestTransport): Promise<void> {
  assert.equal((await server.getHttp2({ path: '/alive' })).body.toString(), '/alive');
  assert.equal((await server.getHttp1({ path: '/alive' })).body.toString(), '/alive');
  assert.deepEqual(server.log, []);
  await server[Symbol.asyncDispose]();
}

/** Everything until the server closes; a reset counts as an end. */
export async function restOf(socket: Socket): Promise<string> {
  let received = '';
  socket.on('error', () => undefined);
  socket.on('data', (data: Buffer) => (received += data.toString('latin1')));
  await new Promise((resolve) => socket.once('close', resolve));
  return received;
}

/** One turn of the event loop. */
export function turn(): Promise<void> {
  return new Promise((resolve) => void setImmediate(resolve));
}

/** Records what it observes. */
class RecordingObserver implements TransportObserver {
  readonly answers: (SentAnswer & { readonly path: string })[] = [];
  readonly events: string[] = [];
  open = 0;
  #waiting: (() => void)[] = [];

  connectionOpened(): void {
    this.open += 1;
    this.#changed();
  }

  connectionClosed(): void {
    this.open -= 1;
    this.#changed();
  }

  handshakeFailed(): void {
    this.events.push('handshakeFailed');
    this.#changed();
  }

  answered(call: Call, answer: SentAnswer): void {
    this.answers.push({ ...answer, path: call.request.path });
    this.#changed();
  }

  timedOut(): void {
    this.events.push('timedOut');
    this.#changed();
  }

  stalled(): void {
    this.events.push('stalled');
    this.#changed();
  }

  /** Resolves when an observed event makes the condition true. */
  async until(condition: () => boolean): Promise<void> {
    while (!condition()) await new Promise<void>((resolve) => this.#waiting.push(resolve));
  }

  #changed(): void {
    for (const wake of this.#waiting.splice(0)) wake();
  }
}
