import { Buffer } from 'node:buffer';
import { AbortScope, type Clock, type Duration, messageOf, millisecondsOf, RealClock } from '../../base/index.ts';
import { HttpClient } from '../../wire/http/index.ts';
import type { BrokerAnswer } from '../kit/broker-answer.ts';
import type { BrokerRequest } from '../kit/broker-routes.ts';
import { formatIdentity, IDENTITY_HEADER } from '../protocol/identity-header.ts';
import {
  type JsonObject,
  OSB_VERSION,
  type OriginatingIdentity,
  type OsbBindRequest,
  type OsbProvisionRequest,
  type OsbUpdateRequest,
} from '../protocol/osb.ts';

/** How a broker is reached. */
export interface BrokerClientOptions {
  /** Scheme, host, port and, if the broker is not at the root, a path. */
  readonly url: string;
  readonly basic?: { readonly username: string; readonly password: string };
  readonly bearer?: string;
  /** The authorities to trust, as PEM; default the system's. */
  readonly certificateAuthority?: string;
  readonly insecureSkipTlsVerify?: boolean;
  /** How long an answer may take; default 60s. */
  readonly timeout?: Duration;
  /** Default 2.17. */
  readonly version?: string;
  readonly clock?: Clock;
  /**
   * Answers requests instead of a server at `url`, as `answer` of a broker that `serviceBroker().open()` has opened; for tests without a network. An error that it
   * throws is that of a lost connection.
   */
  readonly answer?: (request: BrokerRequest) => Promise<BrokerAnswer>;
}

/** One request, for what the named calls do not do. */
export interface BrokerCall {
  readonly method: string;
  /** Below the broker's URL: `/v2/catalog`. */
  readonly path: string;
  /** Lower-case names; they replace what the client sends by itself, and undefined leaves it out. */
  readonly headers?: Readonly<Record<string, string | undefined>>;
  /** A text is sent as it is, anything else as JSON. */
  readonly body?: unknown;
  readonly signal?: AbortSignal;
}

/** What a request says beside its subject. */
export interface BrokerCallOptions {
  /** Whether work in the background is followed; default true. */
  readonly acceptsIncomplete?: boolean;
  readonly originator?: OriginatingIdentity | undefined;
  readonly signal?: AbortSignal;
}

/** An answer with any status. */
export interface BrokerReply {
  readonly status: number;
  /** Lower-case names. */
  readonly headers: Readonly<Record<string, string | undefined>>;
  /** The JSON of the body; undefined when it is none. */
  readonly body: unknown;
  readonly text: string;
  /** From the header `Retry-After`. */
  readonly retryAfterMs: number | undefined;
}

/** There was no answer. */
export class BrokerUnreachable extends Error {
  override readonly name = 'BrokerUnreachable';
  /** The time was up: the broker may have done what was asked. */
  readonly isTimeout: boolean;

  constructor(message: string, { isTimeout, cause }: { readonly isTimeout: boolean; readonly cause: unknown }) {
    super(message, { cause });
    this.isTimeout = isTimeout;
  }
}

/** The service and the plan of an instance, by their ids. */
export interface InstancePlace {
  readonly serviceId: string;
  readonly planId: string;
}

/** A binding, by its id and that of its instance. */
export interface BindingPlace {
  readonly instance: string;
  readonly binding: string;
}

const MAX_ANSWER_BYTES = 16 * 1024 * 1024;

/** Calls of a service broker, as platforms make them. Answers of any status are returned; only without one it throws `BrokerUnreachable`. */
export function brokerClient(options: BrokerClientOptions): BrokerClient {
  return new BrokerClient(options);
}

/** The client that `brokerClient()` makes. */
export class BrokerClient implements Disposable {
  readonly url: string;
  readonly #options: BrokerClientOptions;
  readonly #clock: Clock;
  readonly #http: HttpClient;
  readonly #path: string;

  constructor(options: BrokerClientOptions) {
    const { url, clock = new RealClock(), certificateAuthority, insecureSkipTlsVerify = false } = options;
    const server = new URL(url);
    if (server.protocol !== 'http:' && server.protocol !== 'https:')
      throw new TypeError(`Cannot call a broker at "${url}": need http:// or https://`);
    this.url = url;
    this.#options = options;
    this.#clock = clock;
    this.#path = server.pathname.replace(/\/+$/, '');
    this.#http = new HttpClient({
      target: { server, insecureSkipTlsVerify },
      authorities: async () => certificateAuthority,
      clock,
    });
  }

  catalog(options: Pick<BrokerCall, 'headers' | 'signal'> = {}): Promise<BrokerReply> {
    return this.send({ ...options, method: 'GET', path: '/v2/catalog' });
  }

  provision(id: string, body: OsbProvisionRequest, options: BrokerCallOptions = {}): Promise<BrokerReply> {
    return this.#ask('PUT', instancePath(id), { ...options, body });
  }

  update(id: string, body: OsbUpdateRequest, options: BrokerCallOptions = {}): Promise<BrokerReply> {
    return this.#ask('PATCH', instancePath(id), { ...options, body });
  }

  deprovision(id: string, place: InstancePlace, options: BrokerCallOptions = {}): Promise<BrokerReply> {
    return this.#ask('DELETE', instancePath(id), { ...options, query: queryOf(place) });
  }

  instance(id: string, options: BrokerCallOptions & Partial<InstancePlace> = {}): Promise<BrokerReply> {
    return this.#ask('GET', instancePath(id), { ...options, query: queryOf(options) });
  }

  instanceOperation(id: string, options: PollOptions = {}): Promise<BrokerReply> {
    return this.#ask('GET', `${instancePath(id)}/last_operation`, { ...options, query: pollQuery(options) });
  }

  bind(place: BindingPlace, body: OsbBindRequest, options: BrokerCallOptions = {}): Promise<BrokerReply> {
    return this.#ask('PUT', bindingPath(place), { ...options, body });
  }

  unbind(place: BindingPlace, plan: InstancePlace, options: BrokerCallOptions = {}): Promise<BrokerReply> {
    return this.#ask('DELETE', bindingPath(place), { ...options, query: queryOf(plan) });
  }

  binding(place: BindingPlace, options: BrokerCallOptions & Partial<InstancePlace> = {}): Promise<BrokerReply> {
    return this.#ask('GET', bindingPath(place), { ...options, query: queryOf(options) });
  }

  bindingOperation(place: BindingPlace, options: PollOptions = {}): Promise<BrokerReply> {
    return this.#ask('GET', `${bindingPath(place)}/last_operation`, { ...options, query: pollQuery(options) });
  }

  /** One request as it is given, with the credentials and the version. */
  async send({ method, path, headers = {}, body, signal }: BrokerCall): Promise<BrokerReply> {
    const { timeout = '60s', version = OSB_VERSION } = this.#options;
    const timeoutMs = millisecondsOf(timeout);
    using scope = new AbortScope(signal);
    let isTimeout = false;
    using _limit = this.#clock.timer(timeoutMs, () => {
      isTimeout = true;
      scope.abort(new Error(`no answer within ${timeoutMs / 1000} s`));
    });
    const all = {
      accept: 'application/json',
      'x-broker-api-version': version,
      authorization: this.#authorization(),
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      ...headers,
    };
    const sent = {
      method,
      path: `${this.#path}${path}`,
      headers: Object.fromEntries(
        Object.entries(all).filter((entry): entry is [string, string] => entry[1] !== undefined),
      ),
      ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    };
    try {
      const { status, headers: got, text } = await this.#exchange(sent, scope.signal);
      return { status, headers: got, text, body: parsed(text), retryAfterMs: this.#retryAfter(got) };
    } catch (cause) {
      signal?.throwIfAborted();
      const reason = isTimeout ? messageOf(scope.signal.reason) : messageOf(cause);
      throw new BrokerUnreachable(`${method} ${path}: ${reason}`, { isTimeout, cause });
    }
  }

  [Symbol.dispose](): void {
    this.#http.destroy();
  }

  async #exchange(sent: SentRequest, signal: AbortSignal): Promise<Pick<BrokerReply, 'status' | 'headers' | 'text'>> {
    const { answer } = this.#options;
    if (answer !== undefined) {
      const { status, body, headers = {} } = await answer({ ...sent, url: sent.path, body: sent.body ?? '' });
      return { status, headers, text: status === 304 ? '' : JSON.stringify(body ?? {}) };
    }
    const { status, headers, chunks } = await this.#http.request({ ...sent, signal });
    const plain = Object.entries(headers).map(([name, value]) => [name, value?.toString()]);
    return { status, headers: Object.fromEntries(plain) as BrokerReply['headers'], text: await textOf(chunks) };
  }

  #ask(method: string, path: string, options: BrokerCallOptions & Sent): Promise<BrokerReply> {
    const { acceptsIncomplete = true, originator, signal, body, query = {} } = options;
    const changes = method !== 'GET';
    const search = new URLSearchParams({
      ...query,
      ...(changes && acceptsIncomplete ? { accepts_incomplete: 'true' } : {}),
    }).toString();
    return this.send({
      method,
      path: search === '' ? path : `${path}?${search}`,
      headers: originator === undefined ? {} : { [IDENTITY_HEADER]: formatIdentity(originator) },
      body,
      ...(signal === undefined ? {} : { signal }),
    });
  }

  #authorization(): string | undefined {
    const { basic, bearer } = this.#options;
    if (bearer !== undefined) return `Bearer ${bearer}`;
    if (basic === undefined) return undefined;
    return `Basic ${Buffer.from(`${basic.username}:${basic.password}`).toString('base64')}`;
  }

  /** Seconds, or a date. */
  #retryAfter(headers: BrokerReply['headers']): number | undefined {
    const text = headers['retry-after'];
    if (text === undefined) return undefined;
    const ms = /^\d+$/.test(text) ? Number(text) * 1000 : Date.parse(text) - this.#clock.now();
    return Number.isFinite(ms) && ms >= 0 ? ms : undefined;
  }
}

/** What a look at work in the background says beside its subject. */
export interface PollOptions extends BrokerCallOptions, Partial<InstancePlace> {
  /** As the answer that began the operation named it. */
  readonly operation?: string | undefined;
}

interface SentRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
}

interface Sent {
  readonly body?: JsonObject | OsbProvisionRequest | OsbUpdateRequest | OsbBindRequest;
  readonly query?: Record<string, string>;
}

function instancePath(id: string): string {
  return `/v2/service_instances/${encodeURIComponent(id)}`;
}

function bindingPath({ instance, binding }: BindingPlace): string {
  return `${instancePath(instance)}/service_bindings/${encodeURIComponent(binding)}`;
}

function queryOf({ serviceId, planId }: Partial<InstancePlace>): Record<string, string> {
  return {
    ...(serviceId === undefined ? {} : { service_id: serviceId }),
    ...(planId === undefined ? {} : { plan_id: planId }),
  };
}

function pollQuery(options: PollOptions): Record<string, string> {
  return { ...queryOf(options), ...(options.operation === undefined ? {} : { operation: options.operation }) };
}

async function textOf(chunks: AsyncIterable<Uint8Array>): Promise<string> {
  const parts: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of chunks) {
    bytes += chunk.length;
    if (bytes > MAX_ANSWER_BYTES) throw new Error(`the answer has more than ${MAX_ANSWER_BYTES} bytes`);
    parts.push(chunk);
  }
  return Buffer.concat(parts).toString('utf8');
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined; // not every answer has a body
  }
}
