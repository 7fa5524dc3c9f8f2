import { readFileSync } from 'node:fs';
import type { Socket } from 'node:net';

/** Files that the process keeps for others than clients: the store's, logs, connections of its own. */
const LEAST_RESERVE = 64;

/** What is taken for granted where the system does not say. */
const FILES_ELSEWHERE = 10_240;

/** The part of the files that may be connections. */
const SHARE = 3 / 4;

/** The part of all connections that may come from one address. */
const SHARE_OF_AN_ADDRESS = 1 / 2;

export interface ConnectionLimits {
  readonly maxConnections: number;
  readonly maxConnectionsPerAddress: number;
}

/** As many connections as are wanted, or fewer where the process may not open so many files and keep some for itself. */
export function connectionLimits(wanted: number, maxFiles: number): ConnectionLimits {
  const most = Math.max(1, Math.min(Math.floor(maxFiles * SHARE), maxFiles - LEAST_RESERVE));
  const maxConnections = Math.min(wanted, most);
  return { maxConnections, maxConnectionsPerAddress: Math.max(1, Math.ceil(maxConnections * SHARE_OF_AN_ADDRESS)) };
}

/** How many files this process may have open. Node raises that to what the system allows when it starts. */
export function maxOpenFiles(): number {
  try {
    const soft = /^Max open files +(\d+)/m.exec(readFileSync('/proc/self/limits', 'latin1'))?.[1];
    return soft === undefined ? Infinity : Number(soft);
  } catch {
    return FILES_ELSEWHERE; // not Linux
  }
}

/** Counts TCP connections, in all and by where they come from, also those that have not got through TLS. */
export class ConnectionCounter {
  readonly #limits: ConnectionLimits;
  readonly #byAddress = new Map<string, number>();
  #open = 0;

  constructor(limits: ConnectionLimits) {
    this.#limits = limits;
  }

  /** Counts the connection until it is closed; false when it is one too many. */
  admit(socket: Socket): boolean {
    const address = socket.remoteAddress ?? '';
    const ofAddress = this.#byAddress.get(address) ?? 0;
    if (this.#open >= this.#limits.maxConnections || ofAddress >= this.#limits.maxConnectionsPerAddress) return false;
    this.#open += 1;
    this.#byAddress.set(address, ofAddress + 1);
    socket.once('close', () => this.#closed(address));
    return true;
  }

  #closed(address: string): void {
    this.#open -= 1;
    const left = (this.#byAddress.get(address) ?? 1) - 1;
    if (left === 0) this.#byAddress.delete(address);
    else this.#byAddress.set(address, left);
  }
}
