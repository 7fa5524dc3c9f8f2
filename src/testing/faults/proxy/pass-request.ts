import { once } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { StatusError } from '../../../api/client.ts';
import { messageOf } from '../../../base/index.ts';
import {
  isTransportError,
  type Transport,
  type TransportRequest,
  type TransportResponse,
} from '../../../client/index.ts';

/** Longer than what API servers take. */
const MAX_BODY_BYTES = 16 * 1024 * 1024;
/** Headers that are about one connection, or about the proxy itself. */
const OWN_HEADERS = new Set([
  'accept-encoding',
  'authorization',
  'connection',
  'content-length',
  'expect',
  'host',
  'keep-alive',
  'te',
  'transfer-encoding',
  'upgrade',
]);
/** Headers of answers that do not hold for what is sent on: it is unpacked. */
const ANSWER_HEADERS = new Set(['connection', 'content-encoding', 'content-length', 'keep-alive', 'transfer-encoding']);

/** Sends a request that arrived on, and its answer back. */
export async function passRequest(
  message: IncomingMessage,
  response: ServerResponse,
  server: Transport,
): Promise<void> {
  const left = new AbortController();
  response.once('close', () => left.abort(new Error('The client has left')));
  try {
    const request = {
      method: message.method ?? 'GET',
      path: message.url ?? '/',
      headers: sentHeaders(message),
      ...(await bodyOf(message)),
      signal: left.signal,
    };
    await sendBack(await server.send(request), response);
  } catch (error) {
    if (response.headersSent || isTransportError(error, 'cut') || left.signal.aborted) message.socket.destroy();
    else sendStatus(response, error);
  }
}

/** The headers of a message that the server gets, too. */
export function sentHeaders({ headers }: IncomingMessage): TransportRequest['headers'] {
  const kept = Object.entries(headers).filter(([name, value]) => value !== undefined && !OWN_HEADERS.has(name));
  return Object.fromEntries(kept) as TransportRequest['headers'];
}

async function bodyOf(message: IncomingMessage): Promise<Pick<TransportRequest, 'body'>> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of message) {
    chunks.push(chunk as Uint8Array);
    bytes += (chunk as Uint8Array).length;
    if (bytes > MAX_BODY_BYTES)
      throw new StatusError({ code: 413, reason: 'RequestEntityTooLarge', message: 'Request entity too large' });
  }
  return bytes === 0 ? {} : { body: Buffer.concat(chunks) };
}

async function sendBack({ status, headers, body }: TransportResponse, response: ServerResponse): Promise<void> {
  const kept = Object.entries(headers).filter(([name, value]) => value !== undefined && !ANSWER_HEADERS.has(name));
  if (body.type === 'events') throw new Error('Unreachable: a server over the network answers with bytes');
  if (body.type === 'object') {
    response.writeHead(status, { ...Object.fromEntries(kept), 'content-type': 'application/json' });
    response.end(`${JSON.stringify(body.object)}\n`);
    return;
  }
  response.writeHead(status, Object.fromEntries(kept) as Record<string, string | string[]>);
  response.flushHeaders(); // a watch may have nothing to say for a while
  for await (const chunk of body.chunks) {
    if (response.destroyed) return;
    if (!response.write(chunk)) await Promise.race([once(response, 'drain'), once(response, 'close')]);
  }
  response.end();
}

/** Answers with an error of the proxy itself. */
export function sendStatus(response: ServerResponse, error: unknown): void {
  const made =
    error instanceof StatusError
      ? error
      : new StatusError({ code: 502, message: `the fault proxy cannot reach the server: ${messageOf(error)}` });
  response.writeHead(made.code, { 'content-type': 'application/json' });
  response.end(`${JSON.stringify(made.status)}\n`);
}
