// HTTP requests of probes and lifecycle hooks, with the rules and the error texts of a kubelet.
import { Buffer } from 'node:buffer';
import { type IncomingHttpHeaders, type IncomingMessage, request as httpRequest } from 'node:http';
import { request as httpsRequest } from 'node:https';
import type { DeepReadonly } from '../../base/index.ts';
import { goTransportWords } from '../../wire/http/index.ts';
import type { ActionOutcome } from '../runtime/index.ts';
import type * as core from '../../api/types/core/v1.d.ts';

export interface HttpTarget {
  /** The address to dial when the action names no host. */
  readonly podIp: string;
  readonly port: number;
  /** For the User-Agent. */
  readonly purpose: 'probe' | 'lifecycle';
}

interface Answer {
  readonly statusCode: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

type HttpGet = DeepReadonly<core.HTTPGetAction>;
type Headers = Readonly<Record<string, readonly string[]>>;

const MAX_BODY_BYTES = 10 * 1024;
const MAX_REDIRECTS = 10;
const REDIRECTS: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);

/** Certificates are not verified. Redirects are followed as long as they stay on the host; one that leaves it is a warning. */
export async function probeHttp(action: HttpGet, target: HttpTarget, signal: AbortSignal): Promise<ActionOutcome> {
  const first = urlOf(action, target);
  const headers = headersOf(action, target);
  let url = first;
  let sent = headers;
  for (let requests = 1; ; requests++) {
    const { statusCode, headers: received, body } = await get(url, sent, signal);
    const next = REDIRECTS.has(statusCode) ? redirect(received.location, url) : undefined;
    if (next === undefined || next.hostname !== first.hostname) return verdict(statusCode, body);
    if (requests >= MAX_REDIRECTS) throw new Error(`Get ${quote(next.href)}: stopped after ${MAX_REDIRECTS} redirects`);
    const isRelative = !/^[a-z][a-z0-9+.-]*:|^\/\//i.test(received.location ?? '');
    sent = { ...(isRelative ? sent : without(sent, 'host')), referer: [url.href] };
    url = next;
  }
}

/** Any answer is a success. A server that speaks plain HTTP where the hook says HTTPS is asked again without TLS: that is a warning. */
export async function callHook(action: HttpGet, target: HttpTarget, signal: AbortSignal): Promise<ActionOutcome> {
  const url = urlOf(action, target);
  const headers = headersOf(action, target);
  try {
    await get(url, headers, signal);
    return { result: 'success', output: '' };
  } catch (error) {
    if (!(error instanceof Error) || !error.message.endsWith(PLAIN_HTTP)) throw error;
    const plain = new URL(url);
    plain.protocol = 'http:';
    plain.port = String(target.port);
    await get(plain, without(headers, 'authorization'), signal);
    const words = `request to HTTPS lifecycle hook ${plain.hostname}:${target.port} got HTTP response, retry with HTTP succeeded`;
    return { result: 'warning', output: words };
  }
}

const PLAIN_HTTP = 'server gave HTTP response to HTTPS client';

function verdict(statusCode: number, body: string): ActionOutcome {
  if (statusCode >= 200 && statusCode < 300) return { result: 'success', output: body };
  if (statusCode >= 300 && statusCode < 400)
    return { result: 'warning', output: `Probe terminated redirects, Response body: ${body}` };
  return { result: 'failure', output: `HTTP probe failed with statuscode: ${statusCode}` }; // the body may be secret
}

/** A path that begins with two slashes is a path, never another host. */
function urlOf({ scheme = 'HTTP', host, path = '/' }: HttpGet, { podIp, port }: HttpTarget): URL {
  const address = host ?? podIp;
  const name = address.includes(':') && !address.startsWith('[') ? `[${address}]` : address;
  const url = new URL(`${scheme.toLowerCase()}://${name}:${port}`);
  const [, pathname = '', search = ''] = /^([^?#]*)(\?[^#]*)?/.exec(path) ?? [];
  url.pathname = pathname;
  url.search = search;
  return url;
}

/** By name in lower case. An `Accept` without a value is left out. */
function headersOf({ httpHeaders = [] }: HttpGet, { purpose }: HttpTarget): Headers {
  const headers: Record<string, string[]> = {};
  for (const { name, value } of httpHeaders) (headers[name.toLowerCase()] ??= []).push(value);
  headers['user-agent'] ??= [`kube-${purpose}/1.36`];
  headers['accept'] ??= ['*/*'];
  if (headers['accept'][0] === '') delete headers['accept'];
  if (headers['host']?.[0] === '') delete headers['host'];
  return headers;
}

function redirect(location: string | undefined, from: URL): URL | undefined {
  if (location === undefined || location === '') return undefined;
  try {
    const to = new URL(location, from);
    return to.protocol === 'http:' || to.protocol === 'https:' ? to : undefined;
  } catch {
    return undefined; // not a URL: the answer counts as it is
  }
}

async function get(url: URL, headers: Headers, signal: AbortSignal): Promise<Answer> {
  try {
    return await send(url, headers, signal);
  } catch (error) {
    if (signal.aborted) throw error;
    throw new Error(`Get ${quote(url.href)}: ${goTransportWords(error, quote)}`, { cause: error });
  }
}

function send(url: URL, headers: Headers, signal: AbortSignal): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const sent = Object.fromEntries(Object.entries(headers).map(([name, values]) => [name, [...values]]));
    const { host, ...others } = sent;
    const options = {
      headers: { ...others, ...(host === undefined ? {} : { host: host[0] }), connection: 'close' },
      signal,
      agent: false as const,
    };
    const request =
      url.protocol === 'https:'
        ? httpsRequest(url, { ...options, rejectUnauthorized: false })
        : httpRequest(url, options);
    request.once('error', reject);
    request.once('response', (response) => {
      readStart(response).then(
        (body) => resolve({ statusCode: response.statusCode ?? 0, headers: response.headers, body }),
        reject,
      );
    });
    request.end();
  });
}

/** The first bytes of a body; the rest is not read. */
async function readStart(response: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of response as AsyncIterable<Buffer>) {
    chunks.push(chunk);
    size += chunk.length;
    if (size >= MAX_BODY_BYTES) break;
  }
  return Buffer.concat(chunks).subarray(0, MAX_BODY_BYTES).toString();
}

function without(headers: Headers, name: string): Headers {
  return Object.fromEntries(Object.entries(headers).filter(([each]) => each !== name));
}

function quote(text: string): string {
  return JSON.stringify(text);
}
