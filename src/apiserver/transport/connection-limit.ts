import { readFileSync } from 'node:fs';
import type { ConnectionLimits } from '../../wire/listen/index.ts';

/** Files that the process keeps for others than clients: the store's, logs, connections of its own. */
const MIN_RESERVED_FILES = 64;

/** What is taken for granted where the system does not say. */
const FILES_ELSEWHERE = 10_240;

/** The part of the files that may be connections. */
const SHARE = 3 / 4;

/** The part of all connections that may come from one address. */
const SHARE_OF_AN_ADDRESS = 1 / 2;

/** As many connections as are wanted, or fewer where the process may not open so many files and keep some for itself. */
export function connectionLimits(wanted: number, maxFiles: number): Required<ConnectionLimits> {
  const most = Math.max(1, Math.min(Math.floor(maxFiles * SHARE), maxFiles - MIN_RESERVED_FILES));
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
