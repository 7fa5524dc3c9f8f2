import type { Http2ServerRequest, Http2ServerResponse } from 'node:http2';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { TLSSocket } from 'node:tls';
import { StatusError } from '../../api/client.ts';
import type { ApiAnswer, ApiCall } from './api-call.ts';

/** A request over HTTPS, with the client certificate of its connection. */
export function httpCall(request: Http2ServerRequest, signal: AbortSignal): ApiCall {
  const headers = (name: string): readonly string[] => valuesOf(request, name);
  const certificate = (request.socket as TLSSocket).getPeerX509Certificate?.();
  return {
    method: request.method,
    target: request.url,
    header: (name) => headers(name)[0],
    headers,
    headerNames: [...new Set(Object.keys(request.headers).filter((name) => !name.startsWith(':')))],
    body: (maxBytes) => bodyOf(request, maxBytes),
    ...(certificate === undefined ? {} : { certificate }),
    signal,
  };
}

/** All values of a header: HTTP/1.1 has a line for each, and Node joins them for most names. */
function valuesOf(request: Http2ServerRequest, name: string): readonly string[] {
  const raw = request.rawHeaders;
  const values: string[] = [];
  for (let index = 0; index + 1 < raw.length; index += 2) {
    if (raw[index]?.toLowerCase() === name) values.push(raw[index + 1] ?? '');
  }
  return values;
}

async function bodyOf(request: Http2ServerRequest, maxBytes: number): Promise<Uint8Array> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request) {
    bytes += (chunk as Buffer).length;
    if (bytes > maxBytes) {
      const message = `Request entity too large: limit is ${maxBytes}`;
      throw new StatusError({ code: 413, reason: 'RequestEntityTooLarge', message });
    }
    chunks.push(chunk as Buffer);
  }
  return Buffer.concat(chunks);
}

/** Sends an answer as fast as the client reads it. */
export async function respond(response: Http2ServerResponse, answer: ApiAnswer, isHead: boolean): Promise<void> {
  if (response.destroyed || response.headersSent) return;
  const { status, headers, body } = answer;
  const given = Object.entries(headers).map(([name, value]) => [name, typeof value === 'string' ? value : [...value]]);
  response.writeHead(status, Object.fromEntries(given) as Record<string, string | string[]>);
  if (typeof body === 'string' || body instanceof Uint8Array) {
    response.end(isHead ? '' : body);
    return;
  }
  if ('flushHeaders' in response && typeof response.flushHeaders === 'function') response.flushHeaders(); // HTTP/1.1 would wait for the first event
  await pipeline(Readable.from(body), response).catch(() => undefined); // only fails if the client disconnects
}
