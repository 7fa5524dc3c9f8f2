import type { TypeTable } from '../../api/index.ts';
import { aborted, AbortScope, type Clock, formatGoDuration, RealClock } from '../../base/index.ts';
import {
  certificateProblem,
  DeadlineExceeded,
  gunzipped,
  HttpClient,
  type HttpExchange,
  isTransportError,
  judgedBy,
} from '../../wire/http/index.ts';
import { answerFailure } from './answer-failure.ts';
import { transportErrorText } from './transport-error-text.ts';
import type { WebhookAnswer } from './webhook-answer.ts';
import type { LocalWebhook, WebhookClientOptions, WebhookCredential } from './webhook-client-options.ts';
import {
  authoritiesOf,
  isOwnMachine,
  serviceHost,
  type WebhookTarget,
  webhookUrl,
  webhookUrlText,
} from './webhook-target.ts';

export interface WebhookCall {
  /** JSON. */
  readonly body: string;
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
}

const MAX_TARGETS = 200;
const MAX_CONNECTIONS = 32;
const MAX_ANSWER_BYTES = 32 * 1024 * 1024;
/** How often a webhook that asks for a retry is called. */
const MAX_ATTEMPTS = 11;

interface Connected {
  readonly client: HttpClient;
  readonly credential: WebhookCredential;
}

/**
 * Calls webhooks: by URL or by service, over HTTPS with verified certificates, on connections that are kept open.
 *
 * Guarantees: a call ends with its timeout, its signal or its answer. Errors have client-go's messages. Redirects are not followed and
 * proxies are not used: a user who configures a webhook must not be able to choose which other servers this server connects to.
 */
export class WebhookClient implements Disposable {
  readonly clock: Clock;
  readonly types: TypeTable;
  readonly #options: WebhookClientOptions;
  /** In order of last use. */
  readonly #connected = new Map<string, Connected>();
  readonly #variants: WebhookClient[] = [];

  constructor(options: WebhookClientOptions) {
    this.clock = options.clock;
    this.types = options.types;
    this.#options = options;
  }

  /** A client with separate connections and other credentials; disposed of together with this one. */
  as(credentialFor: WebhookClientOptions['credentialFor']): WebhookClient {
    const variant = new WebhookClient({ ...this.#options, ...(credentialFor === undefined ? {} : { credentialFor }) });
    this.#variants.push(variant);
    return variant;
  }

  /** A UID for a review. */
  newUid(): string {
    return this.#options.uids.next();
  }

  /** Posts JSON; rejects with a `StatusError` for an unsuccessful answer, and with an `Error` when there is none. */
  async post(target: WebhookTarget, call: WebhookCall): Promise<WebhookAnswer> {
    const query = `timeout=${formatGoDuration(BigInt(call.timeoutMs) * 1_000_000n)}`;
    using scope = new AbortScope(call.signal);
    using _timeUp = this.clock.timer(call.timeoutMs, () => scope.abort(new DeadlineExceeded()));
    const answer = await this.#answer(target, { body: call.body, query, signal: scope.signal });
    if (answer.code < 200 || answer.code > 206) throw answerFailure(answer);
    return answer;
  }

  /** The connections to a target; the same ones for the same target, until they are closed. */
  connectionsTo(target: WebhookTarget): HttpClient {
    return this.#connect(target).client;
  }

  /** Releases all connections, which close when their calls have ended; the next calls use current credentials. */
  drain(): void {
    for (const { client } of this.#connected.values()) client.drain();
    this.#connected.clear();
  }

  /** Closes all connections; calls in progress fail. */
  [Symbol.dispose](): void {
    for (const variant of this.#variants.splice(0)) variant[Symbol.dispose]();
    for (const { client } of this.#connected.values()) client.destroy();
    this.#connected.clear();
  }

  async #answer(target: WebhookTarget, call: PostedCall): Promise<WebhookAnswer> {
    for (let attempt = 1; ; attempt++) {
      const answer = await this.#attempt(target, call);
      const { code, retryAfterSeconds } = answer;
      const mayRetry = code === 429 || code >= 500;
      if (!mayRetry || retryAfterSeconds === undefined || attempt === MAX_ATTEMPTS) return answer;
      await this.clock.sleep(retryAfterSeconds * 1000, call.signal);
      if (call.signal.aborted) throw new Error(abortErrorText(call.signal));
    }
  }

  async #attempt(target: WebhookTarget, call: PostedCall): Promise<WebhookAnswer> {
    const { hostname, pathname } = webhookUrl(target);
    const local = this.#options.local?.(hostname);
    if (local !== undefined) return this.#askLocally(local, pathname, { target, call });
    const exchange = await this.#send(target, call).catch((error: unknown) => {
      const words = call.signal.aborted ? abortErrorText(call.signal) : transportErrorText(error);
      throw new Error(`Post "${webhookUrlText(target, call.query)}": ${words}`, { cause: error });
    });
    const body = await this.#read(exchange, call.signal);
    const retryAfter = headerOf(exchange, 'retry-after');
    return {
      code: exchange.status,
      contentType: headerOf(exchange, 'content-type'),
      body,
      ...(/^\d{1,6}$/.test(retryAfter) ? { retryAfterSeconds: Number(retryAfter) } : {}),
    };
  }

  async #askLocally(
    local: LocalWebhook,
    path: string,
    { target, call }: { readonly target: WebhookTarget; readonly call: PostedCall },
  ): Promise<WebhookAnswer> {
    const asked = local(path, call.body, call.signal).catch((error: unknown) => {
      throw new Error(`Post "${webhookUrlText(target, call.query)}": ${transportErrorText(error)}`, { cause: error });
    });
    const answer = await Promise.race([asked, aborted(call.signal)]);
    if (answer === undefined)
      throw new Error(`Post "${webhookUrlText(target, call.query)}": ${abortErrorText(call.signal)}`);
    return { code: answer.status, contentType: answer.type, body: Buffer.from(answer.body) };
  }

  /** Sends a request; repeats it once when the server did not process it, or when it was sent on a connection that had been closed. */
  async #send(target: WebhookTarget, call: PostedCall): Promise<HttpExchange> {
    try {
      return await this.#request(target, call);
    } catch (error) {
      const isUnseen = isTransportError(error) && (error.reason === 'refused' || error.wasKept);
      if (!isUnseen || call.signal.aborted) throw error;
      return this.#request(target, call);
    }
  }

  #request(target: WebhookTarget, { body, query, signal }: PostedCall): Promise<HttpExchange> {
    const { client, credential } = this.#connect(target);
    const { authorization } = credential;
    const headers = {
      accept: 'application/json, */*',
      'accept-encoding': 'gzip',
      'content-type': 'application/json',
      'content-length': String(Buffer.byteLength(body)),
      'user-agent': this.#options.userAgent ?? 'keelson',
      ...(authorization === undefined ? {} : { authorization }),
    };
    const path = `${webhookUrl(target).pathname}?${query}`;
    signal.throwIfAborted();
    return client.request({ method: 'POST', path, headers, body, signal });
  }

  async #read(exchange: HttpExchange, signal: AbortSignal): Promise<Uint8Array> {
    const { maxAnswerBytes = MAX_ANSWER_BYTES } = this.#options;
    const isPacked = headerOf(exchange, 'content-encoding') === 'gzip';
    const chunks: Uint8Array[] = [];
    let bytes = 0;
    try {
      for await (const chunk of isPacked ? gunzipped(exchange.chunks) : exchange.chunks) {
        bytes += chunk.length;
        if (bytes > maxAnswerBytes) throw new Error(`the answer has more than ${maxAnswerBytes} bytes`);
        chunks.push(chunk);
      }
    } catch (error) {
      const words = signal.aborted ? abortErrorText(signal) : bodyErrorText(error);
      const message = `unexpected error when reading response body. Please retry. Original error: ${words}`;
      throw new Error(message, { cause: error });
    }
    return Buffer.concat(chunks);
  }

  #connect(target: WebhookTarget): Connected {
    const { url, service, caBundle, serverName, isInsecure, address } = target;
    const place = [url, address?.name, service?.namespace, service?.name, service?.port];
    const key = JSON.stringify([...place, caBundle, serverName, isInsecure]);
    const known = this.#connected.get(key);
    const connected = known ?? this.#open(target);
    if (known !== undefined) this.#connected.delete(key);
    this.#connected.set(key, connected);
    this.#release();
    return connected;
  }

  #release(): void {
    const { maxTargets = MAX_TARGETS } = this.#options;
    for (const [key, { client }] of this.#connected) {
      if (this.#connected.size <= maxTargets) return;
      this.#connected.delete(key);
      client.drain();
    }
  }

  #open(target: WebhookTarget): Connected {
    const { clock, certificateClock = new RealClock(), services, credentialFor } = this.#options;
    const { maxConnections = MAX_CONNECTIONS, offersHttp2 = false, onCertificate, dialer } = this.#options;
    const server = webhookUrl(target);
    const { service, address, serverName, isInsecure = false } = target;
    const host = server.hostname.replace(/^\[|\]$/g, '');
    const authorities = authoritiesOf(target);
    const credential = credentialFor?.(`${host}:${server.port === '' ? 443 : server.port}`) ?? {};
    const { certificate } = credential;
    const client = new HttpClient({
      target: {
        server,
        ...(dialer === undefined ? {} : { dialer }),
        ...(address === undefined ? {} : { address: async () => address }),
        ...(isInsecure
          ? { insecureSkipTlsVerify: true }
          : {
              judgeCertificate: judgedBy((shown, problem) => {
                onCertificate?.(shown);
                return certificateProblem(shown, { host: serverName ?? host, nowMs: certificateClock.now(), problem });
              }),
            }),
        ...(serverName === undefined ? {} : { serverName }),
        ...(service === undefined
          ? {}
          : {
              serverName: serviceHost(service),
              address: () => services.resolve({ ...service, port: service.port ?? 443 }),
            }),
      },
      authorities: async () => authorities,
      ...(certificate === undefined ? {} : { certificate }),
      clock,
      maxConnections,
      maxSockets: maxConnections,
      isHttp1Only: !offersHttp2 && !isOwnMachine(server),
    });
    return { client, credential };
  }
}

interface PostedCall {
  readonly body: string;
  readonly query: string;
  readonly signal: AbortSignal;
}

function abortErrorText({ reason }: AbortSignal): string {
  return reason instanceof DeadlineExceeded ? reason.message : 'context canceled';
}

function bodyErrorText(error: unknown): string {
  const words = transportErrorText(error);
  return words === 'EOF' ? 'unexpected EOF' : words;
}

function headerOf({ headers }: HttpExchange, name: string): string {
  const value = headers[name];
  return typeof value === 'string' ? value : (value?.[0] ?? '');
}
