import type { Clock } from '../../base/index.ts';
import type { ClientCertificate } from '../request/call.ts';
import type { ShownCertificate } from './client-certificate.ts';
import type { Protocol } from './observer.ts';

export interface ConnectionPeer {
  readonly remoteAddress: string;
  readonly certificate: ShownCertificate;
}

/** Lists that are put together for one connection at once: each may be large, and only the next ones know how large. */
const LISTS_AT_ONCE = 2;

/** What the requests of one connection have in common. */
export class Connection {
  readonly clock: Clock;
  readonly protocol: Protocol;
  readonly remoteAddress: string;
  /** Set once the server stops: answers tell the client to come back elsewhere. */
  isDraining = false;
  readonly #shown: ShownCertificate;
  #running = 0;
  #pendingBytes = 0;
  #lists = 0;
  #waiting: (() => void)[] = [];
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

  /** Requests being worked on, among them those whose client has gone but whose handler has not noticed. */
  get running(): number {
    return this.#running;
  }

  /** Requests in all. */
  get started(): number {
    return this.#started;
  }

  /** Bytes of large answers that its client has not read. */
  get pendingBytes(): number {
    return this.#pendingBytes;
  }

  countPending(bytes: number): void {
    this.#pendingBytes += bytes;
    if (bytes < 0) this.#wakeLater();
  }

  /** Lets a request in: at once, or once its client has read enough and the lists before it are put together. */
  enter(isList: boolean, maxPendingBytes: number): void | Promise<void> {
    if (this.#isBusy(isList, maxPendingBytes)) return this.#enterLater(isList, maxPendingBytes);
    if (isList) this.#lists += 1;
  }

  async #enterLater(isList: boolean, maxPendingBytes: number): Promise<void> {
    while (this.#isBusy(isList, maxPendingBytes)) await new Promise<void>((resolve) => this.#waiting.push(resolve));
    if (isList) this.#lists += 1;
  }

  #isBusy(isList: boolean, maxPendingBytes: number): boolean {
    return this.#pendingBytes > maxPendingBytes || (isList && this.#lists >= LISTS_AT_ONCE);
  }

  /** The list is put together, and counted as pending. */
  listEnded(): void {
    this.#lists -= 1;
    this.#wakeLater();
  }

  /** In the next turn of the event loop: others have theirs, and requests whose connection has gone know of it by then. */
  #wakeLater(): void {
    if (this.#waiting.length > 0)
      setImmediate(() => {
        for (const wake of this.#waiting.splice(0)) wake();
      });
  }

  requestStarted(): void {
    this.#running += 1;
    this.#started += 1;
  }

  requestEnded(): void {
    this.#running -= 1;
  }
}
