import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import { badRequest, pageNotFound, StatusError } from '../../api/client.ts';
import { wantsWebSocket } from '../../wire/websocket/index.ts';
import type { DashboardSettings } from '../settings.ts';
import { SECURITY_HEADERS, sendError, sendJson } from './answer.ts';
import { passOn } from './cluster-requests.ts';
import { refuseSocket, serveSocket } from './cluster-sockets.ts';
import { endpoints } from './endpoints.ts';
import { type Admission, admit, checkSite, type HeaderOf } from './gate.ts';
import { PageFiles } from './page-files.ts';
import { Viewers } from './viewers.ts';

interface OpenedServer {
  readonly page: PageFiles;
  readonly admission: Admission;
  readonly session: string;
  readonly signal: AbortSignal;
}

const CLUSTER = '/cluster/';
const KEELSON = '/keelson/';
/** WebSockets at once; a page has one for each watch, log and terminal. */
const MAX_SOCKETS = 200;
const PAGE_METHODS: ReadonlySet<string> = new Set(['GET', 'HEAD']);

/** Everything behind the port: the page, the API server as the viewer sees it, and what only the dashboard knows. */
export class DashboardServer implements AsyncDisposable {
  readonly #settings: DashboardSettings;
  readonly #opened: OpenedServer;
  readonly #viewers: Viewers;
  #sockets = 0;

  private constructor(settings: DashboardSettings, opened: OpenedServer) {
    this.#settings = settings;
    this.#opened = opened;
    this.#viewers = new Viewers(settings);
  }

  static async open(
    settings: DashboardSettings,
    { port, signal }: { readonly port: number; readonly signal: AbortSignal },
  ): Promise<DashboardServer> {
    const page = await PageFiles.open(settings.pageFolder);
    const session = Buffer.from(settings.random.bytes(9)).toString('base64url');
    return new DashboardServer(settings, { page, admission: admissionOf(settings, port), session, signal });
  }

  /** Answers a request, whatever it is. */
  async answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    for (const [name, value] of Object.entries(SECURITY_HEADERS)) response.setHeader(name, value);
    try {
      checkSite(this.#opened.admission, headerOf(request));
      const url = targetOf(request);
      if (url.startsWith(CLUSTER)) await this.#passOn(request, response, url.slice(CLUSTER.length - 1));
      else if (url.startsWith(KEELSON)) await this.#ask(request, response, url.slice(KEELSON.length));
      else await this.#servePage(request, response, url);
    } catch (error) {
      if (response.destroyed) return;
      if (error instanceof StatusError && error.code === 401 && !response.headersSent)
        response.setHeader('www-authenticate', this.#settings.key === undefined ? 'Keelson-Token' : 'Keelson-Key');
      sendError(response, error);
    }
  }

  /** Serves a WebSocket, and refuses other protocols. */
  async upgrade(request: IncomingMessage, socket: Duplex, first: Buffer): Promise<void> {
    try {
      const { admission, signal } = this.#opened;
      const header = headerOf(request);
      checkSite(admission, header);
      if (!wantsWebSocket(header)) throw badRequest('only WebSocket is understood');
      const offered = listOf(header('sec-websocket-protocol'));
      const admitted = admit(admission, header, offered);
      const url = targetOf(request);
      if (!url.startsWith(CLUSTER)) throw pageNotFound();
      if (this.#sockets >= MAX_SOCKETS) throw tooManySockets();
      const { viewer } = await this.#viewers.of(admitted.token);
      this.#sockets += 1;
      socket.once('close', () => (this.#sockets -= 1));
      await serveSocket({
        request,
        socket,
        first,
        url: url.slice(CLUSTER.length - 1),
        protocols: offered.filter((name) => !isCredential(name)),
        keyProtocol: admitted.protocol,
        viewer,
        rules: this.#rules,
        clock: this.#settings.clock,
        signal,
      });
    } catch (error) {
      refuseSocket(socket, error);
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#viewers[Symbol.asyncDispose]();
  }

  get #rules(): { readonly isReadOnly: boolean } {
    return { isReadOnly: this.#settings.isReadOnly === true };
  }

  async #passOn(request: IncomingMessage, response: ServerResponse, url: string): Promise<void> {
    const { token } = admit(this.#opened.admission, headerOf(request));
    const { viewer } = await this.#viewers.of(token);
    await passOn(request, response, { viewer, url, rules: this.#rules });
  }

  async #ask(request: IncomingMessage, response: ServerResponse, target: string): Promise<void> {
    const { token } = admit(this.#opened.admission, headerOf(request));
    const [path = '', ...queries] = target.split('?');
    const [name = '', ...rest] = path.split('/');
    const endpoint = Object.hasOwn(endpoints, name) ? endpoints[name] : undefined;
    if (endpoint === undefined) throw pageNotFound();
    const method = request.method ?? 'GET';
    if (!endpoint.methods.includes(method)) throw methodNotAllowed(method);
    if (method !== 'GET' && endpoint.isWrite === true && this.#settings.isReadOnly === true)
      throw new StatusError({ code: 403, reason: 'Forbidden', message: `forbidden: this dashboard only shows` });
    const left = new AbortController();
    response.once('close', () => left.abort(new Error('the client has left')));
    const value = await endpoint.answer({
      method,
      rest: decodeURIComponent(rest.join('/')),
      query: new URLSearchParams(queries.join('?')),
      request,
      viewer: await this.#viewers.of(token),
      settings: this.#settings,
      session: this.#opened.session,
      signal: AbortSignal.any([left.signal, this.#opened.signal]),
    });
    response.setHeader('cache-control', 'no-store');
    sendJson(response, value);
  }

  async #servePage(request: IncomingMessage, response: ServerResponse, url: string): Promise<void> {
    if (!PAGE_METHODS.has(request.method ?? '')) throw methodNotAllowed(request.method ?? '');
    const [path = '/'] = url.split('?');
    if (!(await this.#opened.page.answer(path, request, response))) throw pageNotFound();
  }
}

function admissionOf({ key }: DashboardSettings, port: number): Admission {
  if (key === undefined) return { type: 'token' };
  return { type: 'key', key, hosts: ['127.0.0.1', 'localhost', '[::1]'].map((host) => `${host}:${port}`) };
}

/** The path and query; requests for other servers, as to a proxy, are refused. */
function targetOf({ url = '/' }: IncomingMessage): string {
  if (!url.startsWith('/')) throw badRequest('this is no proxy');
  return url;
}

function isCredential(protocol: string): boolean {
  return protocol.startsWith('keelson.key.') || protocol.startsWith('keelson.token.');
}

function headerOf({ headers }: IncomingMessage): HeaderOf {
  return (name) => {
    const value = headers[name];
    return typeof value === 'string' ? value : value?.join(', ');
  };
}

function listOf(header = ''): readonly string[] {
  return header
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '');
}

function methodNotAllowed(method: string): StatusError {
  const message = `${method.slice(0, 20)} is not possible here`;
  return new StatusError({ code: 405, reason: 'MethodNotAllowed', message });
}

function tooManySockets(): StatusError {
  const message = `${MAX_SOCKETS} WebSockets are open already`;
  return new StatusError({ code: 429, reason: 'TooManyRequests', message, details: { retryAfterSeconds: 1 } });
}
