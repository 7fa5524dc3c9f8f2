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

/** An HTTP client of another server. */
export type OnwardClient = Pick<HttpClient, 'request' | 'upgrade'>;

/** Where to forward a request, and how to write it. */
export interface Onward {
  readonly client: OnwardClient;
  /** From `/` on, including the query. */
  readonly path: string;
  readonly headers: ForwardedHeaders;
  /** Cancels the forwarded request; default the incoming request's signal. */
  readonly signal?: AbortSignal;
}

/** Forwards a request, streaming its body. Resolves with the head of the answer. */
export function forward(
  request: IncomingRequest,
  { client, path, headers, signal = request.signal }: Onward,
): Promise<HttpExchange> {
  const onward = { method: request.method, path, headers, signal };
  if (hasBody(request)) return client.request({ ...onward, body: request.bodyStream() });
  return REPEATABLE.has(request.method) ? sendRepeatable(client, onward) : client.request(onward);
}

const REPEATABLE = new Set(['GET', 'HEAD', 'OPTIONS']);

/** Forwards a request to switch protocols; when the server refuses, returns its answer. */
export async function forwardUpgrade(request: IncomingRequest, onward: Onward): Promise<UpgradeAnswer | HttpExchange> {
  const { client, path, signal = request.signal } = onward;
  const headers = { ...onward.headers, connection: 'Upgrade', upgrade: request.header('upgrade') ?? '' };
  const answer = await client.upgrade({ method: request.method, path, headers, signal });
  if (!('socket' in answer)) return answer;
  return { type: 'upgrade', headers: singleHeaders(answer.headers), takeOver: joinTo(answer.socket, request.signal) };
}

/** Sends a request that is safe to repeat; repeats it once when it was sent on a connection that had been closed. */
export async function sendRepeatable(client: OnwardClient, request: HttpRequest): Promise<HttpExchange> {
  try {
    return await client.request(request);
  } catch (error) {
    const isUnseen = isTransportError(error) && (error.reason === 'refused' || error.wasKept);
    if (!isUnseen || request.signal.aborted) throw error;
    return client.request(request);
  }
}

/** Closes an answer without reading its body. */
export async function discard({ chunks }: HttpExchange): Promise<void> {
  await chunks[Symbol.asyncIterator]().return?.();
}

/** Whether the request may have a body to forward; over HTTP/2 it need not declare a length. */
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

/** Connects the client's connection to the server's. When one side ends, so does the other. */
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
