import type { Duplex } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { onAbort } from '../../base/index.ts';
import {
  type HttpClient,
  type HttpExchange,
  type HttpRequest,
  isTransportError,
  type ResponseHeaders,
} from '../../wire/http/index.ts';
import type { UpgradeAnswer } from '../answers/connection-answer.ts';
import type { IncomingRequest } from '../request/incoming-request.ts';
import type { ForwardedHeaders } from './forwarded-headers.ts';

/** How another server is asked. */
export type OnwardClient = Pick<HttpClient, 'request' | 'upgrade'>;

/** Where a request goes on to, and how it is written there. */
export interface Onward {
  readonly client: OnwardClient;
  /** From `/` on, with the query. */
  readonly path: string;
  readonly headers: ForwardedHeaders;
  /** Cancels the forwarded request; default the incoming request's own. */
  readonly signal?: AbortSignal;
}

/** Sends a request on with its body, as it comes. Resolves when the head of the answer is there. */
export function forward(
  request: IncomingRequest,
  { client, path, headers, signal = request.signal }: Onward,
): Promise<HttpExchange> {
  const onward = { method: request.method, path, headers, signal };
  if (hasBody(request)) return client.request({ ...onward, body: request.bodyStream() });
  return REPEATABLE.has(request.method) ? sendRepeatable(client, onward) : client.request(onward);
}

const REPEATABLE = new Set(['GET', 'HEAD', 'OPTIONS']);

/** Sends a request on that asks for another protocol; what the server answers instead of agreeing is given back. */
export async function forwardUpgrade(request: IncomingRequest, onward: Onward): Promise<UpgradeAnswer | HttpExchange> {
  const { client, path, signal = request.signal } = onward;
  const headers = { ...onward.headers, connection: 'Upgrade', upgrade: request.header('upgrade') ?? '' };
  const answer = await client.upgrade({ method: request.method, path, headers, signal });
  if (!('socket' in answer)) return answer;
  return { type: 'upgrade', headers: singleHeaders(answer.headers), takeOver: joinTo(answer.socket, request.signal) };
}

/** Sends a request that may be sent twice: once more when the first went out on a connection that was closed meanwhile. */
export async function sendRepeatable(client: OnwardClient, request: HttpRequest): Promise<HttpExchange> {
  try {
    return await client.request(request);
  } catch (error) {
    const isUnseen = isTransportError(error) && (error.reason === 'refused' || error.wasKept);
    if (!isUnseen || request.signal.aborted) throw error;
    return client.request(request);
  }
}

/** Leaves the body of an answer unread. */
export async function discard({ chunks }: HttpExchange): Promise<void> {
  await chunks[Symbol.asyncIterator]().return?.();
}

/** Whether the request may have a body to pass on; over HTTP/2 it need not tell how long it is. */
function hasBody(request: IncomingRequest): boolean {
  const length = request.header('content-length');
  if (length !== undefined) return length !== '0';
  return request.header('transfer-encoding') !== undefined || METHODS_WITH_BODY.has(request.method);
}

const METHODS_WITH_BODY = new Set(['POST', 'PUT', 'PATCH', 'DELETE']);

function singleHeaders(headers: ResponseHeaders): Record<string, string> {
  const entries = Object.entries(headers).map(([name, value]) => [
    name,
    Array.isArray(value) ? value.join(', ') : value,
  ]);
  return Object.fromEntries(entries.filter(([, value]) => value !== undefined)) as Record<string, string>;
}

/** Joins a client's connection to a server's. When one side has ended, so has the other. */
function joinTo(server: Duplex, signal: AbortSignal): (client: Duplex) => Promise<void> {
  const leaving = onAbort(signal, () => server.destroy());
  return async (client) => {
    try {
      await Promise.race([pipeline(client, server), pipeline(server, client)]);
    } finally {
      leaving[Symbol.dispose]();
      server.destroy();
    }
  };
}
