import { readFileSync } from 'node:fs';
import type { ConnectionLimits } from '../../wire/listen/index.ts';

/** Files that are reserved for the store, logs and the process's own connections. */
const MIN_RESERVED_FILES = 64;

/** Assumed where the system does not report the limit. */
const ASSUMED_MAX_FILES = 10_240;

/** The fraction of the files that may be connections. */
const CONNECTIONS_SHARE = 3 / 4;

/** The fraction of all connections that may come from one address. */
const ADDRESS_SHARE = 1 / 2;

/** The wanted number of connections, or fewer when the process may not open that many files besides the reserved ones. */
export function connectionLimits(wanted: number, maxFiles: number): Required<Omit<ConnectionLimits, 'replacesIdle'>> {
  const most = Math.max(1, Math.min(Math.floor(maxFiles * CONNECTIONS_SHARE), maxFiles - MIN_RESERVED_FILES));
  const maxConnections = Math.min(wanted, most);
  return { maxConnections, maxConnectionsPerAddress: Math.max(1, Math.ceil(maxConnections * ADDRESS_SHARE)) };
}

/** How many files this process may have open. Node raises the limit to the system's maximum when it starts. */
export function maxOpenFiles(): number {
  try {
    const soft = /^Max open files +(\d+)/m.exec(readFileSync('/proc/self/limits', 'latin1'))?.[1];
    return soft === undefined ? Infinity : Number(soft);
  } catch {
    return ASSUMED_MAX_FILES; // not Linux
  }
}
