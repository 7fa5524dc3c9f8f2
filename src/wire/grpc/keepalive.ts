import type { ClientHttp2Session } from 'node:http2';
import type { Clock } from '../../base/index.ts';

export interface KeepaliveOptions {
  /** While calls are open the server is pinged at this interval; default 30 s, as in kube-apiserver. */
  readonly keepaliveMs?: number;
  /** The connection counts as lost when a ping is not answered within this time; default 10 s. */
  readonly keepaliveTimeoutMs?: number;
}

const DEFAULT_KEEPALIVE_MS = 30_000;
const DEFAULT_KEEPALIVE_TIMEOUT_MS = 10_000;

/** Detects a server whose machine is gone and cannot close its connections. An idle connection is not pinged. */
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

  /** Call this when a call starts. */
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
      if (error !== null) return; // the session is closing, which is handled by its 'close' event
      this.#timer?.[Symbol.dispose]();
      this.#timer = this.#clock.timer(this.#everyMs, () => this.#ping());
    });
    if (!isSent) session.destroy(new Error('a ping could not be sent'));
  }
}
