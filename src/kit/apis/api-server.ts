import { jsonAnswer } from './json-answer.ts';
import type { Http2ServerRequest, Http2ServerResponse } from 'node:http2';
import { tooManyRequests } from '../../api/client.ts';
import { aborted, CryptoRandom, hasTracer, inSpan, RealClock, runTogether } from '../../base/index.ts';
import type { Client } from '../../client/index.ts';
import type { Part } from '../part.ts';
import { HttpsListener, serviceHost, type ServiceReference } from '../webhooks/https-listener.ts';
import type { ApiAnswer, ApiCall, LocalApis } from './api-call.ts';
import type * as Handling from './api-handler.ts';
import { ApiRegistration, registrationNeeds, serviceOf, type ServicePlace } from './api-registration.ts';
import type { Api, ApiServerOptions } from './api-resource.ts';
import type { ApiUser } from './api-storage.ts';
import { followTrust, readTrust } from './cluster-trust.ts';
import { DelegatedAuthentication } from './delegated-authentication.ts';
import { DelegatedAuthorization } from './delegated-authorization.ts';
import { httpCall, respond } from './http-call.ts';
import { ensureOpenNamespace } from './open-namespace.ts';

const HTTPS_PORT = 443;
const MAX_CONNECTIONS = 512;
/** Maximum number of concurrent requests, watches included. */
const MAX_UNDER_WAY = 1000;

/**
 * Serves APIs behind the cluster's API server: `app('wardle', [], { apis: apiServer([wardle]) })`. It makes its
 * certificate, registers itself with APIServices, takes the identity of callers from the cluster's API server, and asks it
 * for authorization.
 */
export function apiServer(apis: readonly Api[], options: ApiServerOptions = {}): ApiServer {
  return new ApiServer(apis, options);
}

export class ApiServer {
  readonly apis: readonly Api[];
  /** Registers the server once it listens and keeps the registration up to date. The registration outlives the server. */
  readonly registration: Part;
  readonly #listener: HttpsListener;
  #place: ServicePlace;
  #answer: ((call: ApiCall) => Promise<ApiAnswer>) | undefined;
  #underWay = 0;
  #loading: Promise<typeof Handling> | undefined;

  constructor(apis: readonly Api[], options: ApiServerOptions) {
    const twice = apis.find(
      (each, index) => apis.findIndex(({ apiVersion }) => apiVersion === each.apiVersion) !== index,
    );
    if (apis.length === 0 || twice !== undefined)
      throw new Error(
        `Cannot serve APIs: ${twice === undefined ? 'there are none' : `"${twice.apiVersion}" comes twice`}`,
      );
    this.apis = apis;
    const service = options.service ?? serviceOf(apis);
    this.#place = { service, ownsService: options.service === undefined };
    this.#listener = new HttpsListener(
      { ...options, names: [...(options.names ?? []), serviceHost(service)] },
      {
        onRequest: (request, response) => void this.#respond(request, response),
        asksForCertificate: true,
        maxConnections: MAX_CONNECTIONS,
      },
    );
    const sources = { ...options, apis, listener: this.#listener, place: () => this.#place };
    this.registration = {
      name: 'api-registration',
      needs: registrationNeeds(options.service === undefined),
      prepare: (context) => new ApiRegistration(sources, context),
    };
  }

  /** Makes the server listen at the Service's port on all addresses. */
  standBehind(service: Required<ServiceReference>): void {
    this.#place = { service, ownsService: false };
    this.#listener.standBehind(service);
  }

  /** Resolves when the server listens. */
  listening(): Promise<{ readonly host: string; readonly port: number }> {
    return this.#listener.listening();
  }

  /** The CA certificate of the server's certificate, in base64. */
  get caBundle(): string {
    return this.#listener.caBundle;
  }

  /** Loads the code that answers requests and the types of all kinds, which is large; `run` does so itself. */
  async load(): Promise<void> {
    await this.#load();
  }

  /** Answers until the signal aborts: over HTTPS, or without sockets for API servers of this process. */
  async run(client: Client, signal: AbortSignal, local?: LocalApis): Promise<void> {
    const { clock } = client;
    const authorization = new DelegatedAuthorization(client, clock);
    const authentication = new DelegatedAuthentication(client, local === undefined ? new RealClock() : clock);
    const { ApiHandler: Handler } = await this.#load();
    const handler = (identify: (call: ApiCall) => Promise<ApiUser>): Handling.ApiHandler =>
      new Handler(this.apis, {
        clock,
        random: new CryptoRandom(),
        log: client.log,
        identify,
        authorize: (question) => authorization.authorize(question),
        ensureNamespace: (place) => ensureOpenNamespace(client, place),
      });
    if (local !== undefined) {
      const trusting = handler(async (call) => authentication.remoteUser(call) ?? authentication.identify(call));
      using served = local.serve((call) => trusting.answer(call));
      this.#listener.listensAt({ host: served.host, port: HTTPS_PORT });
      await aborted(signal);
      this.#listener.listensAt(undefined);
      return;
    }
    const answering = handler((call) => authentication.identify(call));
    this.#answer = (call) => answering.answer(call);
    await readTrust(client, authentication, signal);
    const following = { run: (scope: AbortSignal) => followTrust(client, authentication, scope) };
    await runTogether([this.#listener, following], signal);
  }

  #load(): Promise<typeof Handling> {
    this.#loading ??= import('./api-handler.ts');
    return this.#loading;
  }

  async #respond(request: Http2ServerRequest, response: Http2ServerResponse): Promise<void> {
    const left = new AbortController();
    response.once('close', () => left.abort(new Error('the client has left')));
    response.on('error', () => undefined);
    request.on('error', () => undefined);
    const answer = this.#answer;
    if (answer === undefined) {
      response.destroy();
      return;
    }
    this.#underWay += 1;
    response.once('close', () => void (this.#underWay -= 1));
    const call = httpCall(request, left.signal);
    const given = this.#underWay > MAX_UNDER_WAY ? refusedAsBusy() : await answerInSpan(call, request.headers, answer);
    await respond(response, given, request.method === 'HEAD');
  }
}

/** Answers in a span that is a child of the span of the cluster's API server, if there is one. */
function answerInSpan(
  call: ApiCall,
  parent: Http2ServerRequest['headers'],
  answer: (call: ApiCall) => Promise<ApiAnswer>,
): Promise<ApiAnswer> {
  if (!hasTracer()) return answer(call);
  const attributes = { 'http.request.method': call.method, 'url.path': call.target.split('?', 1)[0] ?? '' };
  return inSpan(`${call.method} api`, { kind: 'server', parent, attributes }, async (span) => {
    const given = await answer(call);
    span.set({ 'http.response.status_code': given.status });
    if (given.status >= 500) span.failed(new Error(`answered ${given.status}`));
    return given;
  });
}

function refusedAsBusy(): ApiAnswer {
  const { status } = tooManyRequests('Too many requests, please try again later.', 1);
  return jsonAnswer(429, status);
}
