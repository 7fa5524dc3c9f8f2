import type { IncomingMessage, ServerResponse } from 'node:http';
import { type Clock, messageOf, type Logger } from '../../base/index.ts';
import { Listener, TlsListener } from '../../wire/listen/index.ts';
import { BrokerError, failureBody } from '../protocol/broker-error.ts';
import { type BrokerAccess, challengeOf, isAllowed } from './broker-access.ts';
import { type BrokerAnswer, NOTHING } from './broker-answer.ts';
import type { BrokerRoutes } from './broker-routes.ts';

/** Where a broker listens, and who may use it. */
export interface BrokerServing {
  readonly access: BrokerAccess;
  /** Default 0: any free port. */
  readonly port?: number;
  /** Default 127.0.0.1; in a container use `0.0.0.0` or `::`. */
  readonly host?: string;
  /** Certificate and key as PEM; without them the broker serves plain HTTP. */
  readonly tls?: { readonly certificate: string; readonly key: string };
  /** Default 1 MiB. */
  readonly maxBodyBytes?: number;
}

const LIMITS = { maxConnections: 256, headersTimeoutMs: 10_000, requestTimeoutMs: 30_000, handshakeTimeoutMs: 10_000 };
const MAX_BODY_BYTES = 1024 * 1024;

interface ServerParts {
  readonly routes: BrokerRoutes;
  readonly clock: Clock;
  readonly log: Logger;
}

/** A port that serves a broker. */
export class BrokerServer implements AsyncDisposable {
  readonly url: string;
  readonly #listener: Listener;

  static async open(serving: BrokerServing, { routes, clock, log }: ServerParts): Promise<BrokerServer> {
    const { port = 0, host = '127.0.0.1', tls } = serving;
    const http1 = {
      request: (message: IncomingMessage, response: ServerResponse) => {
        respond({ message, response }, serving, routes).catch((error: unknown) => {
          log.warn('a request was not answered', { error: messageOf(error) });
          response.destroy();
        });
      },
    };
    const listener =
      tls === undefined
        ? new Listener({ limits: LIMITS, http1 })
        : new TlsListener({ limits: LIMITS, http1, clock, serving: tls });
    const { port: opened, family } = await listener.open(host, port);
    const name = host === '0.0.0.0' || host === '::' ? 'localhost' : host;
    const shown = family === 'IPv6' && name.includes(':') ? `[${name}]` : name;
    return new BrokerServer(`${tls === undefined ? 'http' : 'https'}://${shown}:${opened}`, listener);
  }

  private constructor(url: string, listener: Listener) {
    this.url = url;
    this.#listener = listener;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#listener.end();
  }
}

interface Exchange {
  readonly message: IncomingMessage;
  readonly response: ServerResponse;
}

async function respond({ message, response }: Exchange, serving: BrokerServing, routes: BrokerRoutes): Promise<void> {
  const { access, maxBodyBytes = MAX_BODY_BYTES } = serving;
  const headers = plainHeaders(message);
  const requestId = headers['x-broker-api-request-identity'];
  const send = (answer: BrokerAnswer): void => write(response, answer, requestId);
  if (!isAllowed(access, headers['authorization'])) {
    message.resume();
    send(failure(401, 'The credentials are missing, or wrong', { 'www-authenticate': challengeOf(access) }));
    return;
  }
  const body = await readText(message, maxBodyBytes);
  if (body === undefined) {
    send(failure(413, `The body is larger than ${maxBodyBytes} bytes`, { connection: 'close' }));
    return;
  }
  send(await routes.answer({ method: message.method ?? '', url: message.url ?? '', headers, body }));
}

function failure(status: number, text: string, headers: Readonly<Record<string, string>>): BrokerAnswer {
  return { status, body: failureBody(new BrokerError(status, text), 'other'), headers };
}

function write(response: ServerResponse, { status, body, headers }: BrokerAnswer, requestId: string | undefined): void {
  if (response.destroyed) return;
  response.writeHead(status, {
    'content-type': 'application/json',
    'x-content-type-options': 'nosniff',
    'x-broker-api-version': '2.17',
    ...(requestId === undefined ? {} : { 'x-broker-api-request-identity': requestId }),
    ...headers,
  });
  response.end(status === 304 ? undefined : JSON.stringify(body ?? NOTHING));
}

/** The body; undefined when it is too large, and then the rest is not read. */
async function readText(message: IncomingMessage, maxBytes: number): Promise<string | undefined> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of message as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > maxBytes) return undefined;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

function plainHeaders({ headers }: IncomingMessage): Readonly<Record<string, string | undefined>> {
  const entries = Object.entries(headers).map(([name, value]) => [
    name,
    Array.isArray(value) ? value.join(', ') : value,
  ]);
  return Object.fromEntries(entries) as Record<string, string | undefined>;
}
