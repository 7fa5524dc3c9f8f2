import { encodeJson } from '../../api/client.ts';
import {
  AbortScope,
  type Clock,
  CryptoRandom,
  discardLogger,
  hasTracer,
  inSpan,
  type Logger,
  millisecondsOf,
  type Random,
  RealClock,
} from '../../base/index.ts';
import { TransportError } from '../../wire/http/index.ts';
import type { Impersonation } from '../kubeconfig/kubeconfig.ts';
import type { Transport, TransportEvent, TransportRequest, TransportResponse } from '../transport.ts';
import { type ApiRequest, withQuery } from './api-request.ts';
import { readJson, readText, type ReadValue } from './body-reader.ts';
import { type Failure, retryAfterMs, RetryPlan } from './retry-policy.ts';
import { errorOf, statusErrorOf } from './status-answer.ts';
import { type WarningHandler, warningTexts } from './warning.ts';
import { decodeWatch } from './watch-decoder.ts';

export interface RequesterOptions {
  readonly clock?: Clock;
  readonly random?: Random;
  readonly log?: Logger;
  /** The `User-Agent`; the server shows it in audit logs and managedFields. */
  readonly userAgent?: string;
  readonly impersonate?: Impersonation;
  /** Called with each warning of the server; by default warnings are logged. */
  readonly onWarning?: WarningHandler;
  /** Maximum number of retries while the server is busy; default 10. */
  readonly maxRetries?: number;
  /** The largest accepted response; default 256 MiB. Lists come in pages, so responses are rarely large. */
  readonly maxBodyBytes?: number;
  /** The largest accepted watch event; default 16 MiB. */
  readonly maxEventBytes?: number;
}

/**
 * Sends API requests: encodes them, retries when the server is busy, and throws errors of the server as StatusErrors.
 */
export class Requester {
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
  readonly #transport: Transport;
  readonly #headers: Readonly<Record<string, string | readonly string[]>>;
  readonly #onWarning: WarningHandler;
  readonly #maxRetries: number;
  readonly #maxBodyBytes: number;
  readonly #maxEventBytes: number;
  /** The signal of calls that have no signal and no timeout; only with transports that do not retain signals. */
  readonly #never: AbortSignal | undefined;

  constructor(transport: Transport, options: RequesterOptions = {}) {
    this.clock = options.clock ?? new RealClock();
    this.random = options.random ?? new CryptoRandom();
    this.log = options.log ?? discardLogger;
    this.#transport = transport;
    this.#headers = {
      'user-agent': options.userAgent ?? 'keelson',
      ...(options.impersonate === undefined ? {} : impersonationHeaders(options.impersonate)),
    };
    this.#onWarning = options.onWarning ?? (({ text, request }) => this.log.warn('server warns', { text, request }));
    this.#maxRetries = options.maxRetries ?? 10;
    this.#maxBodyBytes = options.maxBodyBytes ?? 256 * 1024 * 1024;
    this.#maxEventBytes = options.maxEventBytes ?? 16 * 1024 * 1024;
    this.#never = transport.values?.never;
  }

  /** Returns the object in the response. */
  async object(request: ApiRequest): Promise<ReadValue> {
    const call = new Call(request, this.clock, this.#never);
    try {
      const { body } = await this.#send(request, call);
      if (body.type === 'object') return { value: body.object, isShared: true };
      return await readJson(body, this.#maxBodyBytes);
    } finally {
      call[Symbol.dispose]();
    }
  }

  /** Returns the text of the response. */
  async text(request: ApiRequest): Promise<string> {
    using call = new Call(request, this.clock, this.#never);
    const response = await this.#send(request, call);
    return await readText(response.body, this.#maxBodyBytes);
  }

  /** Yields a watch's events as they arrive. Ends when the server ends the watch; throws ERROR events. */
  async *events(request: ApiRequest): AsyncGenerator<readonly TransportEvent[]> {
    using call = new Call(request, this.clock, this.#never);
    const { body } = await this.#send(request, call);
    call.begin();
    if (body.type === 'object')
      throw new TransportError('protocol', 'Cannot watch: the answer is one object, not a stream');
    const batches = body.type === 'events' ? body.batches : decodeWatch(body.chunks, this.#maxEventBytes);
    for await (const batch of batches) {
      const failed = batch.findIndex((event) => event.type === 'ERROR');
      if (failed !== 0) yield failed < 0 ? batch : batch.slice(0, failed);
      const event = batch[failed];
      if (event?.type === 'ERROR') throw errorOf(event.status);
    }
  }

  /** Yields the bytes of the response as they arrive. */
  async *chunks(request: ApiRequest): AsyncGenerator<Uint8Array> {
    using call = new Call(request, this.clock, this.#never);
    const { body } = await this.#send(request, call);
    call.begin();
    if (body.type !== 'bytes') throw new TransportError('protocol', 'Cannot read a stream: the answer is an object');
    yield* body.chunks;
  }

  async #send(request: ApiRequest, call: Call): Promise<TransportResponse> {
    let sent = this.#encode(request, call.signal);
    let plan: RetryPlan | undefined;
    for (;;) {
      const answer = await this.#attempt(sent);
      if (!('failure' in answer)) {
        for (const text of warningTexts(answer.headers)) this.#warn(text, request);
        if (answer.status >= 200 && answer.status < 300) return answer;
      }
      const outcome = 'failure' in answer ? answer : await this.#refused(answer, request);
      plan ??= new RetryPlan(request, request.maxRetries ?? this.#maxRetries, this.random);
      const waitMs = plan.nextWaitMs(outcome.failure);
      if (waitMs === undefined || call.signal.aborted) throw call.signal.aborted ? call.signal.reason : outcome.error;
      await this.clock.sleep(waitMs, call.signal);
      call.signal.throwIfAborted();
      if (sent.value !== undefined) sent = this.#encode(request, call.signal); // the server owns the value now
    }
  }

  #attempt(sent: TransportRequest): Promise<TransportResponse | Failed> {
    const sending = hasTracer() ? this.#sendTraced(sent) : this.#transport.send(sent);
    return sending.catch((error: unknown): Failed => ({ failure: { type: 'error', error }, error }));
  }

  #warn(text: string, { method, path }: ApiRequest): void {
    this.#onWarning({ text, request: `${method} ${path}` });
  }

  async #refused(response: TransportResponse, request: ApiRequest): Promise<Failed> {
    const code = response.status;
    const waitMs = retryAfterMs(response.headers, this.clock);
    const error = statusErrorOf(code, await this.#refusal(response), request);
    return { failure: { type: 'status', code, retryAfterMs: waitMs }, error };
  }

  /** The span of a watch or another stream ends when the response begins. */
  #sendTraced(sent: TransportRequest): Promise<TransportResponse> {
    const { method, path } = sent;
    const [place = ''] = path.split('?', 1);
    const attributes = { 'http.request.method': method, 'url.path': place };
    return inSpan(`${method} ${resourceIn(place)}`, { kind: 'client', attributes }, async (span) => {
      const response = await this.#transport.send({ ...sent, headers: { ...sent.headers, ...span.headers } });
      span.set({ 'http.response.status_code': response.status });
      if (response.status >= 500) span.failed(new Error(`the server answered ${response.status}`));
      return response;
    });
  }

  /** The Status of an error response, or its text. */
  async #refusal({ body }: TransportResponse): Promise<unknown> {
    if (body.type === 'object') return body.object;
    const text = await readText(body, this.#maxBodyBytes);
    try {
      return JSON.parse(text);
    } catch {
      return text; // from a proxy, or a path that does not answer in JSON
    }
  }

  #encode(request: ApiRequest, signal: AbortSignal): TransportRequest {
    const { method, path, query, body, contentType = 'application/json', accept = 'application/json' } = request;
    const target = withQuery(path, query);
    if (body === undefined) return { method, path: target, signal, headers: { accept, ...this.#headers } };
    const headers = { accept, 'content-type': contentType, ...this.#headers };
    const value = this.#transport.values?.copy(body);
    // servers store some bytes of a body verbatim
    return { method, path: target, signal, headers, value, body: value === undefined ? encodeJson(body) : undefined };
  }
}

/** The resource in a path, which names its spans; the path itself if it has none. */
function resourceIn(path: string): string {
  return /^\/(?:api|apis\/[^/]+)\/[^/]+\/(?:namespaces\/[^/]+\/)?([^/]+)/.exec(path)?.[1] ?? path;
}

/** A failed try, and what to throw if no later try succeeds. */
interface Failed {
  readonly failure: Failure;
  readonly error: unknown;
}

/** One call with its deadline, across all tries. */
class Call implements Disposable {
  readonly signal: AbortSignal;
  readonly #scope: AbortScope | undefined;
  readonly #timer: Disposable | undefined;

  /** With `never`, the transport does not retain signals, so the caller's signal can be passed to it directly. */
  constructor({ signal, timeout, method, path }: ApiRequest, clock: Clock, never?: AbortSignal) {
    if (timeout === undefined && never !== undefined) {
      this.signal = signal ?? never;
      return;
    }
    const scope = new AbortScope(signal);
    this.#scope = scope;
    this.signal = scope.signal;
    if (timeout === undefined) return;
    const timeoutMs = millisecondsOf(timeout);
    const timeUp = (): void => {
      const message = `Cannot ${method} ${path}: no answer in ${timeoutMs} ms`;
      scope.abort(new TransportError('timeout', message));
    };
    this.#timer = clock.timer(timeoutMs, timeUp);
  }

  /** The stream has begun: the timeout no longer applies. */
  begin(): void {
    this.#timer?.[Symbol.dispose]();
  }

  [Symbol.dispose](): void {
    this.begin();
    this.#scope?.[Symbol.dispose]();
  }
}

/** The headers of impersonation. */
export function impersonationHeaders(who: Impersonation): Record<string, string | readonly string[]> {
  const headers: Record<string, string | readonly string[]> = { 'impersonate-user': who.user };
  if (who.uid !== undefined) headers['impersonate-uid'] = who.uid;
  if (who.groups !== undefined && who.groups.length > 0) headers['impersonate-group'] = who.groups;
  for (const [name, values] of Object.entries(who.extra ?? {})) {
    if (values.length > 0) headers[`impersonate-extra-${escapeName(name)}`] = values;
  }
  return headers;
}

/** Percent-encodes the bytes that a header name may not have, and % itself. */
function escapeName(name: string): string {
  let escaped = '';
  for (const byte of Buffer.from(name, 'utf8')) {
    const character = String.fromCharCode(byte);
    escaped += /[!#$&'*+\-.^_`|~0-9A-Za-z]/.test(character)
      ? character.toLowerCase()
      : `%${byte.toString(16).toUpperCase().padStart(2, '0')}`;
  }
  return escaped;
}
