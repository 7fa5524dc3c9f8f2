import { signal } from '@preact/signals';
import type { DashboardInfo, KubernetesObject } from '../../protocol.ts';
import { linesOf } from '../browser/lines.ts';
import { sleep } from '../browser/clock.ts';
import { ApiError, errorFromBody } from './api-error.ts';
import { headersOf, inBase64Url, protocolsOf, type Session } from './session.ts';
import { messagesOf } from './socket-messages.ts';
import { StreamSlots } from './stream-slots.ts';

export interface RequestOptions {
  readonly method?: string;
  readonly body?: string;
  readonly contentType?: string;
  readonly accept?: string;
  readonly signal?: AbortSignal;
  /** Asks for the values of Secrets. */
  readonly isRevealed?: boolean;
}

export type Reachability =
  | { readonly type: 'starting' }
  | { readonly type: 'ok' }
  | { readonly type: 'away'; readonly message: string }
  /** The viewer has to say who they are. */
  | { readonly type: 'locked'; readonly message: string; readonly wants: 'key' | 'token' };

const LAST_PROTOCOL = 1;
const FIRST_RETRY_MS = 500;
const MAX_RETRY_MS = 5_000;
const STREAMS_BY_FETCH = 3;
/** The code with which the server closes a WebSocket whose only message was a Status. */
const REFUSED = 4000;

/** The page's side of its server: requests with the viewer's key, and whether the server answers at all. */
export class Connection {
  /** Where the page is served from; all addresses are relative to it. */
  readonly base = new URL('.', location.href.replace(/#.*/, ''));
  readonly reachability = signal<Reachability>({ type: 'starting' });
  readonly info = signal<DashboardInfo | undefined>(undefined);
  /** Goes up whenever the server has come back: who kept something from before asks again. */
  readonly generation = signal(0);
  readonly #slots = new StreamSlots(STREAMS_BY_FETCH);
  #session: Session;
  #isProbing = false;
  /** Proxies on the way may let no WebSockets through. */
  #hasSockets = true;

  constructor(session: Session) {
    this.#session = session;
  }

  /** Asks who the server is, until it answers. */
  async open(session = this.#session): Promise<void> {
    this.#session = session;
    await this.#probe();
  }

  /** A request to the Kubernetes API: `path` begins with `/api`. */
  async cluster(path: string, options: RequestOptions = {}): Promise<Response> {
    return await this.#send(`cluster${path}`, options);
  }

  async clusterJson<T = KubernetesObject>(path: string, options: RequestOptions = {}): Promise<T> {
    return (await this.#send(`cluster${path}`, options)).json() as Promise<T>;
  }

  /** A request to the dashboard's own endpoints: `path` has no slash in front, such as `history?limit=10`. */
  async own<T>(path: string, options: RequestOptions = {}): Promise<T> {
    return (await this.#send(`keelson/${path}`, options)).json() as Promise<T>;
  }

  /** The lines of an answer that does not end by itself. */
  async *lines(path: string, options: RequestOptions): AsyncGenerator<string> {
    const { body } = await this.#send(`cluster${path}`, options);
    if (body === null) return;
    try {
      yield* linesOf(body);
    } catch (error) {
      if (options.signal?.aborted) return;
      throw this.#away(error);
    }
  }

  /**
   * The lines of a watch. They come over a WebSocket, which is not one of the few connections of a browser, or else over one of the page's few
   * streams; returns undefined when all of these are taken.
   */
  watch(path: string, options: RequestOptions): AsyncGenerator<string> | undefined {
    return this.#hasSockets ? this.#watchBySocket(path, options) : this.#watchByFetch(path, options);
  }

  /** Whether watches cost none of the few connections that a browser opens. */
  get hasManyStreams(): boolean {
    return this.#hasSockets;
  }

  /** The bytes of an answer that goes on, such as a log that is followed. */
  async *follow(path: string, options: RequestOptions): AsyncGenerator<Uint8Array> {
    if (this.#hasSockets) {
      for await (const message of this.#bySocket(path, options))
        yield typeof message === 'string' ? new TextEncoder().encode(message) : new Uint8Array(message);
      if (this.#hasSockets || options.signal?.aborted) return;
    }
    const { body } = await this.#send(`cluster${path}`, options);
    if (body !== null) yield* body;
  }

  async *#watchBySocket(path: string, options: RequestOptions): AsyncGenerator<string> {
    for await (const message of this.#bySocket(path, options)) if (typeof message === 'string') yield message;
    if (!this.#hasSockets && !options.signal?.aborted) yield* this.#watchByFetch(path, options) ?? [];
  }

  #watchByFetch(path: string, options: RequestOptions): AsyncGenerator<string> | undefined {
    const release = this.#slots.take();
    return release === undefined ? undefined : releasing(this.lines(path, options), release);
  }

  /** Ends without a message, and remembers it, where the server answers nothing over WebSockets. */
  async *#bySocket(path: string, options: RequestOptions): AsyncGenerator<string | ArrayBuffer> {
    const protocol = `keelson.watch.${inBase64Url(options.accept ?? 'application/json')}`;
    const socket = this.socket(path, [protocol, ...(options.isRevealed === true ? ['keelson.reveal'] : [])]);
    const { opened, received, closeCode } = messagesOf(socket, options.signal);
    if (!(await opened)) {
      if (!options.signal?.aborted) this.#hasSockets = false;
      return;
    }
    let refusal = '';
    for await (const message of received) {
      // events of watches begin with their type, and logs are bytes: other text is the Status of a refusal
      if (typeof message === 'string' && !message.startsWith('{"type"')) refusal = message;
      else yield message;
    }
    if (options.signal?.aborted) return;
    if (closeCode() === REFUSED) throw errorFromBody(0, refusal);
    if (closeCode() !== 1000) throw this.#away(new Error('The connection was lost'));
  }

  /** A WebSocket to the Kubernetes API. */
  socket(path: string, protocols: readonly string[]): WebSocket {
    const url = new URL(`cluster${path}`, this.base);
    url.protocol = url.protocol === 'https:' ? 'wss:' : 'ws:';
    const socket = new WebSocket(url, [...protocols, ...protocolsOf(this.#session)]);
    socket.binaryType = 'arraybuffer';
    return socket;
  }

  async #send(path: string, options: RequestOptions): Promise<Response> {
    const session = this.#session;
    let response: Response;
    try {
      response = await this.#fetch(path, options);
    } catch (error) {
      if (options.signal?.aborted) throw new ApiError(0, 'Aborted', { message: 'The page no longer needs the answer' });
      throw this.#away(error);
    }
    if (response.ok) return response;
    const error = errorFromBody(response.status, await response.text().catch(() => ''));
    // a late refusal of another key says nothing about the present one
    if (response.status === 401 && isAboutDashboard(response) && session === this.#session)
      this.reachability.value = { type: 'locked', message: error.message, wants: wantedBy(response) };
    throw error;
  }

  #fetch(path: string, { method, body, contentType, accept, signal, isRevealed }: RequestOptions): Promise<Response> {
    return fetch(new URL(path, this.base), {
      method: method ?? 'GET',
      headers: {
        ...headersOf(this.#session),
        Accept: accept ?? 'application/json',
        ...(body === undefined ? {} : { 'Content-Type': contentType ?? 'application/json' }),
        ...(isRevealed === true ? { 'X-Keelson-Reveal': '1' } : {}),
      },
      ...(body === undefined ? {} : { body }),
      ...(signal === undefined ? {} : { signal }),
      cache: 'no-store',
      credentials: 'same-origin',
      redirect: 'error',
      referrerPolicy: 'no-referrer',
    });
  }

  #away(cause: unknown): ApiError {
    const message = cause instanceof Error ? cause.message : String(cause);
    if (this.reachability.value.type === 'ok') this.reachability.value = { type: 'away', message };
    void this.#probe();
    return new ApiError(0, 'Away', { message: `The server does not answer: ${message}` });
  }

  async #probe(): Promise<void> {
    if (this.#isProbing) return;
    this.#isProbing = true;
    try {
      for (let waitMs = FIRST_RETRY_MS; ; waitMs = Math.min(MAX_RETRY_MS, waitMs * 2)) {
        const session = this.#session;
        const next = await this.#askInfo();
        if (session !== this.#session) continue; // another key was given meanwhile
        const before = this.reachability.value;
        this.reachability.value = next;
        if (next.type === 'ok' && before.type !== 'ok') {
          this.#hasSockets = true;
          this.generation.value++;
        }
        if (next.type !== 'away') return;
        await sleep(waitMs);
      }
    } finally {
      this.#isProbing = false;
    }
  }

  async #askInfo(): Promise<Reachability> {
    try {
      const response = await this.#fetch('keelson/info', {});
      if (response.ok) {
        const info = (await response.json()) as DashboardInfo;
        const known = this.info.value;
        const isOther = info.protocol !== LAST_PROTOCOL || (known !== undefined && known.session !== info.session);
        // the server was started again, perhaps as another version: its page may be another one as well
        if (isOther && known !== undefined) location.reload();
        this.info.value = info;
        return { type: 'ok' };
      }
      const { message } = errorFromBody(response.status, await response.text());
      if (response.status === 401) return { type: 'locked', message, wants: wantedBy(response) };
      return { type: 'away', message };
    } catch (error) {
      return { type: 'away', message: error instanceof Error ? error.message : String(error) };
    }
  }
}

async function* releasing(lines: AsyncGenerator<string>, release: () => void): AsyncGenerator<string> {
  try {
    yield* lines;
  } finally {
    release();
  }
}

/** Answers of the API server itself may say 401, too. */
function isAboutDashboard(response: Response): boolean {
  return response.headers.get('WWW-Authenticate')?.startsWith('Keelson-') === true;
}

function wantedBy(response: Response): 'key' | 'token' {
  return response.headers.get('WWW-Authenticate')?.startsWith('Keelson-Token') === true ? 'token' : 'key';
}
