import { serviceUnavailable, StatusError } from '../api/index.ts';
import {
  answerHeaders,
  type Call,
  type ConnectionAnswer,
  discard,
  endToEndHeaders,
  escapedPath,
  forward,
  forwardUpgrade,
  type Onward,
  transportErrorText,
} from '../apiserver/index.ts';
import type { HttpClient, HttpExchange } from '../wire/http/index.ts';
import { joined, proxiedLink, type ProxiedPlace, withProxiedLinks } from './proxied-links.ts';

/** A server behind a pod, a service or a node. */
export interface ProxiedServer {
  readonly client: HttpClient;
  /** `host:port`, as in URLs. */
  readonly host: string;
}

/** Forwards a request to a server, with the part of its path that follows `proxy`, and returns the server's answer. */
export async function passProxied(call: Call, { client, host }: ProxiedServer): Promise<ConnectionAnswer> {
  const below = serverPath(call);
  const query = call.request.query.text === '' ? '' : `?${call.request.query.text}`;
  const path = below === '' ? '/' : below;
  const onward: Onward = { client, path: `${escapedPath(path)}${query}`, headers: endToEndHeaders(call.request) };
  if (call.request.isUpgrade) return upgraded(call, onward);
  if (below === '' && (call.request.method === 'GET' || call.request.method === 'HEAD')) {
    const location = `${escapedPath(call.request.path)}/${query}`;
    return { type: 'bytes', code: 301, contentType: '', body: '', headers: { location } };
  }
  const prefix = call.request.path.endsWith(below)
    ? call.request.path.slice(0, call.request.path.length - below.length)
    : call.request.path;
  const place = { prefix: escapedPath(prefix), serverHost: host, clientHost: call.request.header('host') ?? '' };
  const headers = { ...onward.headers, 'x-forwarded-uri': joined(place.prefix, escapedPath(path)) };
  let exchange: HttpExchange;
  try {
    exchange = await forward(call.request, { ...onward, headers });
  } catch (error) {
    if (call.request.signal.aborted || error instanceof StatusError) throw error;
    throw serviceUnavailable(`error trying to reach service: ${transportErrorText(error)}`);
  }
  return proxiedAnswer(exchange, place);
}

/** The path to request at the server: empty when nothing follows `proxy`. */
function serverPath({ info, request: { path } }: Call): string {
  const below = info.parts.slice(3).join('/');
  const whole = below === '' ? '' : joined('/', below);
  return path.endsWith('/') && !whole.endsWith('/') ? `${whole}/` : whole;
}

async function upgraded(call: Call, onward: Onward): Promise<ConnectionAnswer> {
  let answer: Awaited<ReturnType<typeof forwardUpgrade>>;
  try {
    answer = await forwardUpgrade(call.request, onward);
  } catch (error) {
    if (call.request.signal.aborted) throw error;
    throw new StatusError({ code: 500, message: `error dialing backend: ${transportErrorText(error)}` });
  }
  if ('type' in answer) return answer;
  const { status, headers, chunks } = answer;
  if (status >= 400) return { type: 'stream', code: status, headers: answerHeaders(headers), body: chunks };
  await discard(answer);
  throw new StatusError({ code: 500, message: `invalid upgrade response: status code ${status}` });
}

function proxiedAnswer({ status, headers, chunks }: HttpExchange, place: ProxiedPlace): ConnectionAnswer {
  const passed = answerHeaders(headers);
  const { location } = passed;
  if (typeof location === 'string' && location !== '') {
    return {
      type: 'stream',
      code: status,
      headers: { ...passed, location: proxiedLink(location, place) },
      body: chunks,
    };
  }
  const [contentType = ''] = String(passed['content-type'] ?? '').split(';');
  const encoding = String(passed['content-encoding'] ?? '');
  const page = contentType.trim() === 'text/html' ? withProxiedLinks(chunks, encoding, place) : undefined;
  if (page === undefined) return { type: 'stream', code: status, headers: passed, body: chunks };
  const { 'content-length': _, ...others } = passed;
  return { type: 'stream', code: status, headers: others, body: page };
}
