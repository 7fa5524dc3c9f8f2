import { quoteGo } from '../../api/values/index.ts';
import { AbortScope, type Clock } from '../../base/index.ts';
import {
  certificateProblem,
  type ClientCertificate,
  DeadlineExceeded,
  goTransportWords,
  HttpClient,
  type HttpExchange,
  isTransportError,
} from '../../wire/http/index.ts';
import type { Extender } from './extender.ts';
import { parseAnswer } from './extender-answer.ts';
import { extenderBy, type ExtenderCalls, type ExtenderVerb } from './extender-calls.ts';

export interface HttpExtenderOptions extends Omit<ExtenderCalls, 'name' | 'verbs' | 'send' | 'close'> {
  /** Where it is; what it is asked comes after a slash. */
  readonly urlPrefix: string;
  /** What the verbs are called in its URLs; it is not asked what is not here. */
  readonly verbs: ReadonlyMap<ExtenderVerb, string>;
  /** An answer must be there, whole, in so much time; 5 s unless given. */
  readonly timeoutMs?: number;
  readonly tls?: ExtenderTrust;
  readonly clock: Clock;
}

export interface ExtenderTrust {
  /** Certificates are not looked at. */
  readonly isInsecure?: boolean;
  /** The name that the certificate must carry; the host of the URL unless given. */
  readonly serverName?: string;
  /** PEM of the authorities to trust; the system's unless given. */
  readonly authorities?: string;
  readonly certificate?: ClientCertificate;
}

const DEFAULT_TIMEOUT_MS = 5000;
/** Enough for a few thousand whole nodes; what an extender sends beyond that is not read. */
const MAX_ANSWER_BYTES = 32 * 1024 * 1024;
const MAX_CONNECTIONS = 100;

/**
 * An extender over HTTP, with kube-scheduler's wire format and its words for what goes wrong.
 *
 * Guarantees: a question ends with its time, its signal or its answer, and takes a bounded amount of memory. Redirects are
 * not followed: they are answers other than 200.
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
    const { clock, timeoutMs = DEFAULT_TIMEOUT_MS } = this.#options;
    const url = `${this.#prefix}/${action}`;
    using scope = new AbortScope(signal);
    using _timeUp = clock.timer(timeoutMs, () => scope.abort(new DeadlineExceeded()));
    const body = JSON.stringify(args);
    const exchange = await this.#send(url, body, scope.signal).catch((error: unknown) => {
      const late = 'context deadline exceeded (Client.Timeout exceeded while awaiting headers)';
      const words = isTimeUp(scope.signal) ? late : goTransportWords(error, quoteGo);
      throw new Error(`Post "${url}": ${words}`, { cause: error });
    });
    if (exchange.status !== 200) {
      scope.abort(); // the body is of no interest
      throw new Error(`failed ${action} with extender at URL ${url}, code ${exchange.status}`);
    }
    return parseAnswer(await read(exchange, scope.signal));
  }

  close(): void {
    this.#client?.destroy();
    this.#client = undefined;
  }

  /** A question that came too late on a kept connection is asked once more. */
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
              judgeCertificate: (shown, problem) => certificateProblem(shown, { host, nowMs: clock.now(), problem }),
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
