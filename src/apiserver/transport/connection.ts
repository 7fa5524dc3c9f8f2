import type { Clock } from '../../base/index.ts';
import type { ClientCertificate } from '../request/incoming-request.ts';
import type { ShownCertificate } from './client-certificate.ts';
import type { Protocol } from './observer.ts';

export interface ConnectionPeer {
  readonly remoteAddress: string;
  readonly certificate: ShownCertificate;
}

/** What the requests of one connection have in common. */
export class Connection {
  readonly clock: Clock;
  readonly protocol: Protocol;
  readonly remoteAddress: string;
  /** Set once the server stops: answers tell the client to come back elsewhere. */
  isDraining = false;
  /** Bytes of its answers that wait for the client to read. */
  pendingBytes = 0;
  /** Answers that were dropped because they were not read. */
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

  /** A certificate can run out while its connection lives on. */
  get certificate(): ClientCertificate | 'invalid' | undefined {
    if (this.#shown.type !== 'valid') return this.#shown.type === 'none' ? undefined : 'invalid';
    return this.clock.now() > this.#shown.endsMs ? 'invalid' : this.#shown.certificate;
  }

  /** The same certificate, when an authority for front proxies vouches for it. */
  get proxyCertificate(): ClientCertificate | undefined {
    const shown = this.#shown;
    if (shown.type === 'none' || shown.proxy === undefined) return undefined;
    return this.clock.now() > (shown.proxy.endsMs ?? Infinity) ? undefined : shown.proxy;
  }

  /** Requests being worked on, among them those whose client has gone but whose handler has not noticed. */
  get running(): number {
    return this.#running;
  }

  /** Requests in all. */
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
