import type { Clock } from '../../base/index.ts';
import type { ClientCertificate } from '../request/incoming-request.ts';
import type { ShownCertificate } from './client-certificate.ts';
import type { Protocol } from './observer.ts';

export interface ConnectionPeer {
  readonly remoteAddress: string;
  readonly certificate: ShownCertificate;
}

/** The state that the requests of one connection share. */
export class Connection {
  readonly clock: Clock;
  readonly protocol: Protocol;
  readonly remoteAddress: string;
  /** Set when the server stops: answers then ask the client to reconnect elsewhere. */
  isDraining = false;
  /** Bytes of its answers that the client has not read. */
  pendingBytes = 0;
  /** Answers that were dropped because the client did not read them. */
  dropped = 0;
  readonly #shown: ShownCertificate;
  #running = 0;
  #started = 0;

  constructor(protocol: Protocol, peer: ConnectionPeer, clock: Clock) {
    this.clock = clock;
    this.protocol = protocol;
    this.remoteAddress = peer.remoteAddress;
    this.#shown = peer.certificate;
  }

  /** A certificate can expire while its connection is open. */
  get certificate(): ClientCertificate | 'invalid' | undefined {
    if (this.#shown.type !== 'valid') return this.#shown.type === 'none' ? undefined : 'invalid';
    return this.clock.now() > this.#shown.endsMs ? 'invalid' : this.#shown.certificate;
  }

  /** The same certificate, when an authority for front proxies signed it. */
  get proxyCertificate(): ClientCertificate | undefined {
    const shown = this.#shown;
    if (shown.type === 'none' || shown.proxy === undefined) return undefined;
    return this.clock.now() > (shown.proxy.endsMs ?? Infinity) ? undefined : shown.proxy;
  }

  /** Requests in progress, including those whose client left but whose handler has not noticed. */
  get running(): number {
    return this.#running;
  }

  /** All requests so far. */
  get started(): number {
    return this.#started;
  }

  requestStarted(): void {
    this.#running += 1;
    this.#started += 1;
  }

  requestEnded(): void {
    this.#running -= 1;
  }
}
