import type { IncomingMessage, ServerResponse } from 'node:http';
import { forbidden, StatusError } from '../../api/client.ts';
import type { TransportResponse } from '../../client/index.ts';
import { drained } from '../../wire/connections/index.ts';
import { CONTENT_HEADERS } from './answer.ts';
import { BlankStream } from './blank-stream.ts';
import { type ClusterPath, hasSecretValues, readClusterPath, readOnlyRefusal } from './cluster-path.ts';
import { readBody } from './read-body.ts';
import type { Viewer } from './viewer.ts';

/** A request to the API server as it is to be sent, and whether its answer is to be blanked. */
export interface PassedOn {
  readonly target: ClusterPath;
  readonly isBlanked: boolean;
  readonly headers: Readonly<Record<string, string>>;
}

export interface PassOnRules {
  readonly isReadOnly: boolean;
}

/** Headers of requests that mean something to API servers. Others, such as cookies, stay here. */
const REQUEST_HEADERS = ['accept', 'content-type', 'keelson-trace', 'if-none-match'] as const;
const RESPONSE_HEADERS = [
  'content-type',
  'audit-id',
  'warning',
  'retry-after',
  'keelson-trace',
  'etag',
  'x-content-type-options',
];
const JSON_TYPE = 'application/json';

/** Judges a request for the API server. Throws what is wrong with it. */
export function judge(
  request: { readonly method: string; readonly url: string; readonly isRevealed: boolean },
  headers: Readonly<Record<string, string | undefined>>,
  { isReadOnly }: PassOnRules,
): PassedOn {
  const target = readClusterPath(request.url);
  const refusal = isReadOnly ? readOnlyRefusal(request.method, target) : undefined;
  if (refusal !== undefined)
    throw forbidden({ group: '', resource: '' }, '', `this dashboard only shows, and ${refusal}`);
  const isBlanked = hasSecretValues(target) && !request.isRevealed;
  const kept = REQUEST_HEADERS.flatMap((name) => {
    const value = headers[name];
    return value === undefined ? [] : [[name, value] as const];
  });
  return {
    target,
    isBlanked,
    headers: {
      ...Object.fromEntries(kept),
      ...(isBlanked ? { accept: jsonOnly(headers['accept']), 'accept-encoding': 'identity' } : {}),
    },
  };
}

/** Passes a request on to the API server, and its answer back while it arrives. */
export async function passOn(
  request: IncomingMessage,
  response: ServerResponse,
  { viewer, url, rules }: { readonly viewer: Viewer; readonly url: string; readonly rules: PassOnRules },
): Promise<void> {
  const method = request.method ?? 'GET';
  const isRevealed = request.headers['x-keelson-reveal'] === '1';
  const passed = judge({ method, url, isRevealed }, request.headers as Record<string, string | undefined>, rules);
  const left = new AbortController();
  response.once('close', () => left.abort(new Error('the client has left')));
  const body = method === 'GET' || method === 'HEAD' ? new Uint8Array() : await readBody(request);
  const answer = await viewer.send({
    method,
    path: passed.target.path,
    headers: passed.headers,
    ...(body.length === 0 ? {} : { body }),
    signal: left.signal,
  });
  response.writeHead(answer.status, answerHeaders(answer, passed));
  response.flushHeaders();
  for await (const bytes of answerBytes(answer, passed)) if (!response.write(bytes)) await drained(response);
  response.end();
}

/** The bytes of an answer, without values of Secrets where these are not to be seen. */
export async function* answerBytes(
  { body }: TransportResponse,
  { isBlanked }: Pick<PassedOn, 'isBlanked'>,
): AsyncGenerator<Uint8Array> {
  if (body.type !== 'bytes') throw new Error('Cannot pass on an answer that is not bytes');
  if (!isBlanked) {
    yield* body.chunks;
    return;
  }
  const blank = new BlankStream();
  for await (const chunk of body.chunks) {
    const text = blank.write(chunk);
    if (text !== '') yield Buffer.from(text);
  }
  yield Buffer.from(blank.end());
}

/** The headers of an answer that the page gets. Redirects are not followed, and cookies not set. */
function answerHeaders(
  { status, headers }: TransportResponse,
  { isBlanked, target }: PassedOn,
): Record<string, string | string[]> {
  const kept = RESPONSE_HEADERS.flatMap((name) => {
    const value = headers[name];
    return value === undefined ? [] : [[name, typeof value === 'string' ? value : [...value]] as const];
  });
  if (isBlanked && status < 400 && !String(headers['content-type']).startsWith(JSON_TYPE))
    throw new StatusError({
      code: 406,
      reason: 'NotAcceptable',
      message: 'Cannot hide the values of Secrets: the API server did not answer with JSON',
    });
  const isDocument = target.path.startsWith('/openapi/') && headers['cache-control'] !== undefined;
  return {
    ...CONTENT_HEADERS,
    ...Object.fromEntries(kept),
    ...(isDocument ? { 'cache-control': String(headers['cache-control']) } : {}),
    ...(isBlanked ? { 'x-keelson-blanked': '1' } : {}),
  };
}

/** The media types of an Accept header that are JSON, tables included: the only form in which values can be found. */
function jsonOnly(accept = JSON_TYPE): string {
  const types = accept.split(',').map((type) => type.trim());
  const kept = types.filter((type) => type === JSON_TYPE || type.startsWith(`${JSON_TYPE};`));
  return kept.length === 0 ? JSON_TYPE : kept.join(',');
}
