import { quoteGo } from '../../api/values/index.ts';
import { AbortScope, type Clock, type Duration, millisecondsOf } from '../../base/index.ts';
import {
  certificateProblem,
  type ClientCertificate,
  DeadlineExceeded,
  goTransportWords,
  HttpClient,
  type HttpExchange,
  isTransportError,
  judgedBy,
} from '../../wire/http/index.ts';
import type { Extender } from './extender.ts';
import { parseAnswer } from './extender-answer.ts';
import { extenderBy, type ExtenderCalls, type ExtenderVerb } from './extender-calls.ts';

export interface HttpExtenderOptions extends Omit<ExtenderCalls, 'name' | 'verbs' | 'send' | 'close'> {
  /** The base URL; the verb's path segment follows after a slash. */
  readonly urlPrefix: string;
  /** The path segment of each verb; verbs without one are not called. */
  readonly verbs: ReadonlyMap<ExtenderVerb, string>;
  /** Time limit for a whole response; default 5 s. */
  readonly timeout?: Duration;
  readonly tls?: ExtenderTrust;
  readonly clock: Clock;
}

/** How an extender's server and this client authenticate to each other. */
export interface ExtenderTrust {
  /** Skips verification of the certificate. */
  readonly isInsecure?: boolean;
  /** The name that the certificate must carry; default: the host of the URL. */
  readonly serverName?: string;
  /** PEM of the trusted CAs; default: the system's. */
  readonly authorities?: string;
  readonly certificate?: ClientCertificate;
}

const DEFAULT_TIMEOUT = '5s';
/** Enough for a few thousand whole nodes; a larger response fails. */
const MAX_ANSWER_BYTES = 32 * 1024 * 1024;
const MAX_CONNECTIONS = 100;

/**
 * An extender over HTTP, with kube-scheduler's wire format and error messages.
 *
 * Guarantees: a call ends with its timeout, its signal or its response, and takes a bounded amount of memory. Redirects
 * are not followed: they count as responses other than 200.
 */
export function httpExtender(options: HttpExtenderOptions): Extender {
  const connections = new ExtenderConnections(options);
  const { verbs, urlPrefix, ...others } = options;
  return extenderBy({
    ...others,
    name: urlPrefix,
    verbs: new Set(verbs.keys()),
    send: (verb, args, { signal }) => connections.post(verbs.get(verb) ?? '', args, signal),
    close: () => connections.close(),
  });
}

class ExtenderConnections {
  readonly #options: HttpExtenderOptions;
  readonly #prefix: string;
  #client: HttpClient | undefined;

  constructor(options: HttpExtenderOptions) {
    this.#options = options;
    this.#prefix = options.urlPrefix.replace(/\/+$/, '');
  }

  async post(action: string, args: object, signal: AbortSignal): Promise<unknown> {
    const { clock, timeout = DEFAULT_TIMEOUT } = this.#options;
    const url = `${this.#prefix}/${action}`;
    using scope = new AbortScope(signal);
    using _timeUp = clock.timer(millisecondsOf(timeout), () => scope.abort(new DeadlineExceeded()));
    const body = JSON.stringify(args);
    const exchange = await this.#send(url, body, scope.signal).catch((error: unknown) => {
      const late = 'context deadline exceeded (Client.Timeout exceeded while awaiting headers)';
      const words = isTimeUp(scope.signal) ? late : goTransportWords(error, quoteGo);
      throw new Error(`Post "${url}": ${words}`, { cause: error });
    });
    if (exchange.status !== 200) {
      scope.abort(); // the body is not read
      throw new Error(`failed ${action} with extender at URL ${url}, code ${exchange.status}`);
    }
    return parseAnswer(await read(exchange, scope.signal));
  }

  close(): void {
    this.#client?.destroy();
    this.#client = undefined;
  }

  /** Retries once when the server has closed a kept-alive connection. */
  async #send(url: string, body: string, signal: AbortSignal): Promise<HttpExchange> {
    try {
      return await this.#request(url, body, signal);
    } catch (error) {
      const isUnseen = isTransportError(error) && (error.reason === 'refused' || error.wasKept);
      if (!isUnseen || signal.aborted) throw error;
      return await this.#request(url, body, signal);
    }
  }

  async #request(url: string, body: string, signal: AbortSignal): Promise<HttpExchange> {
    const server = new URL(url);
    this.#client ??= this.#open(server);
    const headers = {
      'content-type': 'application/json',
      'content-length': String(Buffer.byteLength(body)),
      'user-agent': 'kube-scheduler',
    };
    signal.throwIfAborted();
    return await this.#client.request({
      method: 'POST',
      path: `${server.pathname}${server.search}`,
      headers,
      body,
      signal,
    });
  }

  #open(server: URL): HttpClient {
    const { clock, tls = {} } = this.#options;
    const { isInsecure = false, serverName, authorities, certificate } = tls;
    const host = serverName ?? server.hostname.replace(/^\[|\]$/g, '');
    return new HttpClient({
      target: {
        server,
        ...(serverName === undefined ? {} : { serverName }),
        ...(isInsecure
          ? { insecureSkipTlsVerify: true }
          : {
              judgeCertificate: judgedBy((shown, problem) =>
                certificateProblem(shown, { host, nowMs: clock.now(), problem }),
              ),
            }),
      },
      ...(authorities === undefined ? {} : { authorities: async () => authorities }),
      ...(certificate === undefined ? {} : { certificate }),
      clock,
      maxSockets: MAX_CONNECTIONS,
    });
  }
}

async function read({ chunks }: HttpExchange, signal: AbortSignal): Promise<string> {
  const all: Uint8Array[] = [];
  let bytes = 0;
  try {
    for await (const chunk of chunks) {
      bytes += chunk.length;
      if (bytes > MAX_ANSWER_BYTES) throw new Error(`the answer has more than ${MAX_ANSWER_BYTES} bytes`);
      all.push(chunk);
    }
  } catch (error) {
    const late = 'context deadline exceeded (Client.Timeout or context cancellation while reading body)';
    const words = isTimeUp(signal) ? late : goTransportWords(error, quoteGo);
    throw new Error(words === 'EOF' ? 'unexpected EOF' : words, { cause: error });
  }
  return Buffer.concat(all).toString();
}

function isTimeUp(signal: AbortSignal): boolean {
  return signal.aborted && signal.reason instanceof DeadlineExceeded;
}
