import type { Socket } from 'node:net';

export interface ConnectionLimits {
  /** TCP connections at once, including those that have not finished TLS. */
  readonly maxConnections: number;
  /** Connections at once from one address; default `maxConnections`. */
  readonly maxConnectionsPerAddress?: number;
}

/**
 * Decides which TCP connections are accepted.
 *
 * When a limit is reached, a new connection replaces the oldest one that has sent no request: first of those that have not
 * finished TLS, then of the others. Without such a connection the new one is refused. So silent connections cannot keep
 * clients out, and a connection in use is never closed for another.
 */
export class ConnectionGate {
  readonly #limits: Required<ConnectionLimits>;
  readonly #addresses = new Map<Socket, string>();
  readonly #perAddress = new Map<string, number>();
  /** Connections that have not finished TLS, by the peer, oldest first. */
  readonly #unsecured = new Map<string, Socket>();
  /** Connections without a request: the stream of requests, and the TCP connection under it. */
  readonly #unused = new Map<Socket, Socket>();

  constructor({ maxConnections, maxConnectionsPerAddress = maxConnections }: ConnectionLimits) {
    this.#limits = { maxConnections, maxConnectionsPerAddress };
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
    stream.once('close', () => this.#unused.delete(stream));
  }

  /** A request has arrived, after which the connection is no longer closed for another. */
  used(stream: Socket): void {
    this.#unused.delete(stream);
  }

  #shed(address?: string): boolean {
    const isCandidate = (socket: Socket): boolean => address === undefined || this.#addresses.get(socket) === address;
    for (const [peer, socket] of this.#unsecured) {
      if (!isCandidate(socket)) continue;
      this.#unsecured.delete(peer);
      return this.#close(socket, socket);
    }
    for (const [stream, socket] of this.#unused) {
      if (!isCandidate(socket)) continue;
      this.#unused.delete(stream);
      return this.#close(stream, socket);
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
