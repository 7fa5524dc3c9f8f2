import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { messageOf, type Random } from '../../base/index.ts';
import type { Transport } from '../../client/index.ts';

const TRACE_HEADER = 'keelson-trace';
/** The limit of API servers. */
const MAX_BODY_BYTES = 4 * 1024 * 1024;
/** Hop-by-hop headers, which are not forwarded. */
const HOP_BY_HOP: ReadonlySet<string> = new Set([
  'host',
  'connection',
  'content-length',
  'transfer-encoding',
  'upgrade',
]);

/**
 * A local proxy that forwards requests to an API server and asks it to trace them. Requests to its URL use the
 * credentials of the user who runs it, so the URL has a secret path. Upgraded connections, such as those of `kubectl
 * exec`, are not forwarded.
 */
export class TracingProxy implements AsyncDisposable {
  readonly url: string;
  /** Ids of the traces, in the order of the answers. */
  readonly traces: string[] = [];
  readonly #close: () => Promise<void>;

  private constructor(url: string, close: () => Promise<void>) {
    this.url = url;
    this.#close = close;
  }

  static async start(transport: Transport, random: Random): Promise<TracingProxy> {
    const prefix = `/${Buffer.from(random.bytes(24)).toString('hex')}`;
    const server = createServer((request, response) => {
      const path = request.url ?? '';
      if (path.startsWith(`${prefix}/`))
        void passOn({ request, response, path: path.slice(prefix.length) }, transport, proxy);
      else response.writeHead(404).end();
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}${prefix}`;
    const proxy = new TracingProxy(url, async () => {
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
    });
    return proxy;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#close();
  }
}

interface Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly path: string;
}

async function passOn({ request, response, path }: Exchange, transport: Transport, proxy: TracingProxy): Promise<void> {
  const left = new AbortController();
  response.once('close', () => left.abort(new Error('the client has left')));
  try {
    const body = await bodyOf(request);
    const answer = await transport.send({
      method: request.method ?? 'GET',
      path,
      headers: { ...headersOf(request), [TRACE_HEADER]: '1' },
      ...(body.length === 0 ? {} : { body }),
      signal: left.signal,
    });
    const { [TRACE_HEADER]: id, ...headers } = answer.headers;
    if (typeof id === 'string') proxy.traces.push(id);
    response.writeHead(answer.status, headersToSend(headers));
    if (answer.body.type !== 'bytes') throw new Error('Cannot pass on an answer that is not bytes');
    for await (const chunk of answer.body.chunks) if (!response.write(chunk)) await once(response, 'drain');
    response.end();
  } catch (error) {
    if (response.headersSent) response.destroy();
    else response.writeHead(502, { 'content-type': 'text/plain; charset=utf-8' }).end(`${messageOf(error)}\n`);
  }
}

async function bodyOf(request: IncomingMessage): Promise<Uint8Array> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request) {
    bytes += (chunk as Buffer).length;
    if (bytes > MAX_BODY_BYTES) throw new Error(`Cannot pass on a body of more than ${MAX_BODY_BYTES} bytes`);
    chunks.push(chunk as Buffer);
  }
  return Buffer.concat(chunks);
}

function headersOf({ headers }: IncomingMessage): Record<string, string | readonly string[]> {
  const kept = Object.entries(headers).filter(([name, value]) => !HOP_BY_HOP.has(name) && value !== undefined);
  return Object.fromEntries(kept) as Record<string, string | readonly string[]>;
}

/** Removes the encoding: the transport has decompressed the body. */
function headersToSend(headers: Readonly<Record<string, unknown>>): Record<string, string | string[]> {
  const kept = Object.entries(headers).filter(
    ([name, value]) =>
      !HOP_BY_HOP.has(name) && name !== 'content-encoding' && !name.startsWith(':') && value !== undefined,
  );
  return Object.fromEntries(kept) as Record<string, string | string[]>;
}
