import type { Http2ServerRequest, Http2ServerResponse } from 'node:http2';
import { describeError, type Runnable, runTogether } from '../../base/index.ts';
import { type Client, StatusError } from '../../client/index.ts';
import { followTrust, readTrust } from '../apis/cluster-trust.ts';
import { DelegatedAuthentication } from '../apis/delegated-authentication.ts';
import { DelegatedAuthorization } from '../apis/delegated-authorization.ts';
import { httpCall } from '../apis/http-call.ts';
import { HttpsListener, type HttpsListenerOptions } from '../webhooks/https-listener.ts';
import { answerHealth, type HealthAnswer, type HealthQuestion, type HealthSource, plainText } from './health-server.ts';

export interface SecureHealthOptions extends HttpsListenerOptions {
  /** Paths that need no authorization; default `/healthz`, `/livez` and `/readyz`. `/x/*` stands for everything below. */
  readonly openPaths?: readonly string[];
  /** Answers other paths than those of probes and scrapes, for callers who are authorized. */
  answer?(question: HealthQuestion): HealthAnswer | undefined;
}

const OPEN_PATHS = ['/healthz', '/livez', '/readyz'];

/**
 * Answers probes and scrapes over HTTPS, as Kubernetes' programs do: the cluster's API server authenticates and authorizes
 * the callers.
 */
export class SecureHealthServer implements Runnable {
  readonly #openPaths: readonly string[];
  readonly #answer: SecureHealthOptions['answer'];
  readonly #source: HealthSource;
  readonly #client: Client;
  readonly #authentication: DelegatedAuthentication;
  readonly #authorization: DelegatedAuthorization;
  readonly #listener: HttpsListener;

  constructor(options: SecureHealthOptions, source: HealthSource, client: Client) {
    this.#openPaths = options.openPaths ?? OPEN_PATHS;
    this.#answer = options.answer;
    this.#source = source;
    this.#client = client;
    this.#authentication = new DelegatedAuthentication(client, client.clock);
    this.#authorization = new DelegatedAuthorization(client, client.clock);
    this.#listener = new HttpsListener(options, {
      onRequest: (request, response) => void this.#respond(request, response),
      asksForCertificate: true,
    });
  }

  /** Resolves when the server listens. */
  listening(): Promise<{ readonly host: string; readonly port: number }> {
    return this.#listener.listening();
  }

  async run(signal: AbortSignal): Promise<void> {
    const following = {
      run: async (scope: AbortSignal) => {
        await readTrust(this.#client, this.#authentication, scope);
        await followTrust(this.#client, this.#authentication, scope);
      },
    };
    await runTogether([this.#listener, following], signal);
  }

  async #respond(request: Http2ServerRequest, response: Http2ServerResponse): Promise<void> {
    const left = new AbortController();
    response.once('close', () => left.abort(new Error('the client has left')));
    response.on('error', () => undefined);
    request.on('error', () => undefined);
    request.resume();
    const { method, url } = request;
    const [path = ''] = url.split('?');
    const refusal = this.#isOpen(path) ? undefined : await this.#refusal(request, path, left.signal);
    const question = { method, path, accept: request.headers.accept ?? '' };
    const { status, text, contentType } = refusal ?? this.#answer?.(question) ?? answerHealth(question, this.#source);
    if (response.destroyed) return;
    response.writeHead(status, { 'content-type': contentType, 'x-content-type-options': 'nosniff' });
    response.end(method === 'HEAD' ? '' : text);
  }

  #isOpen(path: string): boolean {
    return this.#openPaths.some((open) => (open.endsWith('/*') ? path.startsWith(open.slice(0, -1)) : path === open));
  }

  async #refusal(request: Http2ServerRequest, path: string, signal: AbortSignal): Promise<HealthAnswer | undefined> {
    try {
      const call = httpCall(request, signal);
      const user = await this.#authentication.identify(call);
      await this.#authorization.authorize({ target: { user, path, method: request.method } });
      return undefined;
    } catch (error) {
      if (error instanceof StatusError) {
        const { status } = error;
        const text = `${JSON.stringify(status)}\n`;
        return { status: status.code ?? 500, text, contentType: 'application/json' };
      }
      this.#client.log.warn('cannot find out who asks', { path, error: describeError(error) });
      return plainText(500, 'Internal Server Error\n');
    }
  }
}
