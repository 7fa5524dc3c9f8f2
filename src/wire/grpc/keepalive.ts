import type { ClientHttp2Session } from 'node:http2';
import type { Clock } from '../../base/index.ts';

export interface KeepaliveOptions {
  /** While calls are open the server is asked for a sign of life this often; 30 s unless given, as kube-apiserver does. */
  readonly keepaliveMs?: number;
  /** How long it may take to answer before the connection counts as lost; 10 s unless given. */
  readonly keepaliveTimeoutMs?: number;
}

const DEFAULT_KEEPALIVE_MS = 30_000;
const DEFAULT_KEEPALIVE_TIMEOUT_MS = 10_000;

/** Finds out that a server is gone when its machine cannot say so any more. An idle connection is left in peace. */
export class Keepalive implements Disposable {
  readonly #session: ClientHttp2Session;
  readonly #clock: Clock;
  readonly #hasCalls: () => boolean;
  readonly #everyMs: number;
  readonly #timeoutMs: number;
  #timer: Disposable | undefined;

  constructor(
    session: ClientHttp2Session,
    clock: Clock,
    options: KeepaliveOptions & { readonly hasCalls: () => boolean },
  ) {
    this.#session = session;
    this.#clock = clock;
    this.#hasCalls = options.hasCalls;
    this.#everyMs = options.keepaliveMs ?? DEFAULT_KEEPALIVE_MS;
    this.#timeoutMs = options.keepaliveTimeoutMs ?? DEFAULT_KEEPALIVE_TIMEOUT_MS;
  }

  /** To be called when a call begins. */
  noteCall(): void {
    this.#timer ??= this.#clock.timer(this.#everyMs, () => this.#ping());
  }

  [Symbol.dispose](): void {
    this.#timer?.[Symbol.dispose]();
  }

  #ping(): void {
    const session = this.#session;
    this.#timer = undefined;
    if (session.destroyed || !this.#hasCalls()) return;
    this.#timer = this.#clock.timer(this.#timeoutMs, () => {
      session.destroy(new Error(`the server did not answer a ping within ${this.#timeoutMs} ms`));
    });
    const isSent = session.ping((error) => {
      if (error !== null) return; // the session is going away, which everybody learns by its close
      this.#timer?.[Symbol.dispose]();
      this.#timer = this.#clock.timer(this.#everyMs, () => this.#ping());
    });
    if (!isSent) session.destroy(new Error('a ping could not be sent'));
  }
}
