import type { Socket } from 'node:net';

export interface ConnectionLimits {
  /** TCP connections at once, including those that have not finished TLS. */
  readonly maxConnections: number;
  /** Connections at once from one address; default `maxConnections`. */
  readonly maxConnectionsPerAddress?: number;
  /** Whether a connection whose requests have all been answered may be closed for a new one; default false. */
  readonly replacesIdle?: boolean;
}

/**
 * Decides which TCP connections are accepted.
 *
 * When a limit is reached, a new connection replaces the oldest one without a request: first of those that have not finished
 * TLS, then of those that never sent one, then, if asked to, of those whose requests have all been answered. Without such a
 * connection the new one is refused. So silent connections cannot keep clients out, and a connection in use is never closed for another.
 */
export class ConnectionGate {
  readonly #limits: Required<ConnectionLimits>;
  readonly #addresses = new Map<Socket, string>();
  readonly #perAddress = new Map<string, number>();
  /** Connections that have not finished TLS, by the peer, oldest first. */
  readonly #unsecured = new Map<string, Socket>();
  /** Connections without a request: the stream of requests, and the TCP connection under it. */
  readonly #unused = new Map<Socket, Socket>();
  /** The same of connections whose requests have all been answered, the one that has waited longest first. */
  readonly #idle = new Map<Socket, Socket>();
  readonly #under = new WeakMap<Socket, Socket>();

  constructor(limits: ConnectionLimits) {
    const { maxConnections, maxConnectionsPerAddress = maxConnections, replacesIdle = false } = limits;
    this.#limits = { maxConnections, maxConnectionsPerAddress, replacesIdle };
  }

  /** The TCP connections that are open. */
  get sockets(): Iterable<Socket> {
    return this.#addresses.keys();
  }

  /** Counts the connection until it is closed; false when it is refused. */
  admit(socket: Socket): boolean {
    const address = socket.remoteAddress ?? '';
    const { maxConnections, maxConnectionsPerAddress } = this.#limits;
    if ((this.#perAddress.get(address) ?? 0) >= maxConnectionsPerAddress) {
      if (!this.#shed(address)) return false;
    } else if (this.#addresses.size >= maxConnections && !this.#shed()) return false;
    this.#addresses.set(socket, address);
    this.#perAddress.set(address, (this.#perAddress.get(address) ?? 0) + 1);
    const peer = peerOf(socket);
    this.#unsecured.set(peer, socket);
    socket.once('close', () => {
      if (this.#unsecured.get(peer) === socket) this.#unsecured.delete(peer);
      this.#forget(socket);
    });
    return true;
  }

  /** Requests can arrive on the connection now: over `stream`, which is its TLS socket or the connection itself. */
  ready(stream: Socket): void {
    const peer = peerOf(stream);
    const socket = this.#unsecured.get(peer);
    if (socket === undefined) return; // already closed
    this.#unsecured.delete(peer);
    this.#unused.set(stream, socket);
    this.#under.set(stream, socket);
    stream.once('close', () => this.used(stream));
  }

  /** A request has arrived: the connection is not closed for another until `idle` is called. */
  used(stream: Socket): void {
    this.#unused.delete(stream);
    this.#idle.delete(stream);
  }

  /** All requests of the connection have been answered. */
  idle(stream: Socket): void {
    const socket = this.#limits.replacesIdle ? this.#under.get(stream) : undefined;
    if (socket !== undefined && this.#addresses.has(socket)) this.#idle.set(stream, socket);
  }

  #shed(address?: string): boolean {
    const isCandidate = (socket: Socket): boolean => address === undefined || this.#addresses.get(socket) === address;
    for (const [peer, socket] of this.#unsecured) {
      if (!isCandidate(socket)) continue;
      this.#unsecured.delete(peer);
      return this.#close(socket, socket);
    }
    for (const silent of [this.#unused, this.#idle]) {
      for (const [stream, socket] of silent) {
        if (!isCandidate(socket)) continue;
        silent.delete(stream);
        return this.#close(stream, socket);
      }
    }
    return false;
  }

  #close(stream: Socket, socket: Socket): true {
    this.#forget(socket);
    stream.destroy();
    return true;
  }

  #forget(socket: Socket): void {
    const address = this.#addresses.get(socket);
    if (address === undefined) return;
    this.#addresses.delete(socket);
    const left = (this.#perAddress.get(address) ?? 1) - 1;
    if (left === 0) this.#perAddress.delete(address);
    else this.#perAddress.set(address, left);
  }
}

/** A key that distinguishes a connection from all others to the same port. */
function peerOf({ remoteAddress, remotePort, localAddress }: Socket): string {
  return `${remoteAddress} ${remotePort} ${localAddress}`;
}
