import { Readable } from 'node:stream';
import { tooManyRequests } from '../api/index.ts';
import {
  type Answer,
  answerHeaders,
  type Call,
  type Delegate,
  endToEndHeaders,
  escapedPath,
  forward,
  type ForwardedHeaders,
  forwardUpgrade,
  type IncomingRequest,
  isLongRunning,
  type Onward,
  transportErrorText,
} from '../apiserver/index.ts';
import { AbortScope, type Clock, type Logger, messageOf } from '../base/index.ts';
import type { HttpExchange } from '../wire/http/index.ts';
import type { Backend, Backends } from './backends.ts';
import { identityHeaders, isIdentityHeader } from './identity-headers.ts';
import type { RemoteService } from './registered-service.ts';
import type { RegisteredServices } from './registered-services.ts';

export interface AggregatedRequestsOptions {
  readonly services: RegisteredServices;
  readonly backends: Backends;
  readonly clock: Clock;
  readonly log: Logger;
  /** Whether to forward redirects; default false, since the client would follow them with its credentials. */
  readonly forwardsRedirects?: boolean;
}

/** Max concurrent requests for one APIService, besides watches and other long-running ones. */
const MAX_UNDER_WAY = 400;
/** Timeout of discovery requests, which clients send to every server before anything else. */
const DISCOVERY_TIMEOUT_MS = 5000;

/** Forwards requests to the servers of APIServices, and streams their answers back. */
export class AggregatedRequests implements Delegate {
  readonly #options: AggregatedRequestsOptions;
  readonly #underWay = new Map<string, number>();

  constructor(options: AggregatedRequestsOptions) {
    this.#options = options;
  }

  answersFor({ request: { path } }: Call): boolean {
    return this.#options.services.remotes.size > 0 && this.#remoteOf(path) !== undefined;
  }

  handle(call: Call): Promise<Answer> {
    return this.passOn(call, this.#remoteOf(call.request.path));
  }

  /** Lets the server of an APIService answer, if it is available. */
  async passOn(call: Call, remote: RemoteService | undefined): Promise<Answer> {
    if (remote?.isAvailable !== true) return plainText(503, 'service unavailable');
    const leave = this.#enter(call, remote);
    call.record.onFinish(leave);
    let backend: Backend;
    try {
      backend = await this.#options.backends.find(remote);
    } catch (error) {
      this.#options.log.debug('API service cannot be resolved', { service: remote.name, error });
      return plainText(503, 'service unavailable');
    }
    try {
      return call.request.isUpgrade ? await this.#upgrade(call, backend) : await this.#pass(call, backend);
    } catch (error) {
      const words = call.request.signal.aborted ? 'context canceled' : failureWords(error); // in the first case no client reads it
      return plainText(503, `error trying to reach service: ${words}`);
    }
  }

  #remoteOf(path: string): RemoteService | undefined {
    const name = serviceNameOf(path);
    return name === undefined ? undefined : this.#options.services.remotes.get(name);
  }

  #enter(call: Call, { name }: RemoteService): () => void {
    if (isLongRunning(call.info) || call.request.isUpgrade) return () => undefined;
    const count = this.#underWay.get(name) ?? 0;
    if (count >= MAX_UNDER_WAY) throw tooManyRequests('Too many requests, please try again later.', 1);
    this.#underWay.set(name, count + 1);
    return () => {
      const left = (this.#underWay.get(name) ?? 1) - 1;
      if (left === 0) this.#underWay.delete(name);
      else this.#underWay.set(name, left);
    };
  }

  async #pass(call: Call, backend: Backend): Promise<Answer> {
    const scope = scopeOf(call);
    using _timeUp = isDiscovery(call)
      ? this.#options.clock.timer(DISCOVERY_TIMEOUT_MS, () => scope.abort(new TimeUp()))
      : undefined;
    const exchange = await forward(call.request, { ...onwardTo(call, backend), signal: scope.signal });
    return this.#answer(call, exchange, scope);
  }

  async #upgrade(call: Call, backend: Backend): Promise<Answer> {
    const scope = scopeOf(call);
    const answer = await forwardUpgrade(call.request, { ...onwardTo(call, backend), signal: scope.signal });
    if ('type' in answer) return answer;
    if (answer.status >= 400) return this.#answer(call, answer, scope);
    scope.abort(new Error('The answer is not wanted'));
    return plainText(503, `invalid upgrade response: status code ${answer.status}`);
  }

  /** `scope` ends the exchange. */
  async #answer(call: Call, { status, headers, chunks }: HttpExchange, scope: AbortScope): Promise<Answer> {
    const isRedirect = status >= 300 && status <= 399 && headers['location'] !== undefined;
    if (isRedirect && this.#options.forwardsRedirects !== true) {
      scope.abort(new Error('The answer is not wanted'));
      const contentType = 'text/plain; charset=utf-8';
      return { type: 'bytes', code: 502, contentType, body: REDIRECT_REFUSED };
    }
    const answer = { type: 'stream', code: status, headers: answerHeaders(headers) } as const;
    if (call.request.method !== 'HEAD' && status !== 204 && status !== 304) return { ...answer, body: chunks };
    const first = await chunks[Symbol.asyncIterator]().next(); // nothing reads further, and the connection waits for its end
    if (first.done !== true) scope.abort(new Error('The answer has a body and must not'));
    return { ...answer, body: Readable.from([]) };
  }
}

function onwardTo(call: Call, backend: Backend): Onward {
  const path = escapedPath(call.request.path);
  const headers = forwardedHeaders(call, backend, path);
  return { client: backend.client, path: path + forwardedQuery(call.request), headers };
}

const REDIRECT_REFUSED = 'the backend attempted to redirect this request, which is not permitted';

class TimeUp extends Error {
  constructor() {
    super('context deadline exceeded');
  }
}

/** Ends the exchange when the client disconnects; follows the call until it ends. */
function scopeOf(call: Call): AbortScope {
  const scope = new AbortScope(call.request.signal);
  call.record.onFinish(() => scope[Symbol.dispose]());
  return scope;
}

function failureWords(error: unknown): string {
  return error instanceof TimeUp ? messageOf(error) : transportErrorText(error);
}

/** `/apis/GROUP/VERSION` and nothing below it. */
function isDiscovery({ info }: Call): boolean {
  return !info.isResource && info.path.split('/').filter((part) => part !== '').length === 3;
}

function plainText(code: number, text: string): Answer {
  const headers = { 'x-content-type-options': 'nosniff' };
  return { type: 'bytes', code, contentType: 'text/plain; charset=utf-8', body: `${text}\n`, headers };
}

/** The forwarded query of a call: re-encoded, with the parameters sorted by name, as Go does. */
function forwardedQuery({ query }: Pick<IncomingRequest, 'query'>): string {
  if (query.text === '') return '';
  const parameters = new URLSearchParams(query.text);
  parameters.sort();
  return `?${parameters.toString()}`;
}

/**
 * The name of the APIService that a path belongs to.
 *
 * Example: `/apis/apps/v1/deployments` belongs to `v1.apps`, `/api` and all below it to `v1.`
 */
function serviceNameOf(path: string): string | undefined {
  if (path === '/api' || path.startsWith('/api/')) return 'v1.';
  if (!path.startsWith('/apis/')) return undefined;
  const groupEnd = path.indexOf('/', 6);
  if (groupEnd === -1) return undefined;
  const versionEnd = path.indexOf('/', groupEnd + 1);
  const version = versionEnd === -1 ? path.slice(groupEnd + 1) : path.slice(groupEnd + 1, versionEnd);
  return version === '' ? undefined : `${version}.${path.slice(6, groupEnd)}`;
}

/** The headers of a request forwarded to another API server, including the user's identity. */
function forwardedHeaders(call: Call, backend: { readonly host: string }, path: string): ForwardedHeaders {
  const { host: _, ...sent } = endToEndHeaders(call.request);
  const headers = Object.entries(sent).filter(([name]) => !isIdentityHeader(name));
  return {
    ...Object.fromEntries(headers),
    'audit-id': call.record.auditId,
    'x-forwarded-uri': path,
    'x-forwarded-host': backend.host,
    'x-forwarded-proto': 'https',
    ...identityHeaders(call.principal.user),
  };
}
