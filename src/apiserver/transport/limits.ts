import { type Duration, millisecondsOf } from '../../base/index.ts';

/** The resources that one client may use. The numbers are kube-apiserver's where it has one. */
export interface TransportLimits {
  /** For all requests except long-running ones; a client may request less with `?timeout=`. */
  readonly requestTimeoutMs: number;
  readonly handshakeTimeoutMs: number;
  /** From the first byte of a request to the end of its headers (HTTP/1.1). */
  readonly headersTimeoutMs: number;
  /** An idle connection is closed after this time. */
  readonly idleTimeoutMs: number;
  /** A client that reads nothing of its answer for this time is disconnected. */
  readonly stallTimeoutMs: number;
  /** An upgraded connection without traffic in either direction for this time is closed. The same as a kubelet's. */
  readonly upgradeIdleTimeoutMs: number;
  /** How long requests may continue when the server stops; then they are aborted. */
  readonly drainMs: number;
  readonly maxHeaderBytes: number;
  /** HTTP/2 only: compression can hide many headers in a few bytes, and this is the only limit while they are decompressed. */
  readonly maxHeaders: number;
  /** Lower when the process may not open that many files; half of them may come from one address. */
  readonly maxConnections: number;
  /** Concurrent requests on one connection. More are refused by the protocol (HTTP/2) or end the connection (HTTP/1.1). */
  readonly maxStreams: number;
  /** Unread bytes of one answer; its source waits while there are more. */
  readonly maxBufferedBytes: number;
  /** Unread bytes of all answers: of one connection, of one user, and in total. */
  readonly maxPendingBytesPerConnection: number;
  readonly maxPendingBytesPerUser: number;
  readonly maxPendingBytes: number;
  /** How many requests a connection may reset at once, and how many more each second (HTTP/2 rapid reset). */
  readonly maxResets: number;
  readonly resetsPerSecond: number;
}

export const DEFAULT_TRANSPORT_LIMITS: TransportLimits = {
  requestTimeoutMs: 60_000,
  handshakeTimeoutMs: 10_000,
  headersTimeoutMs: 32_000,
  idleTimeoutMs: 90_000,
  stallTimeoutMs: 30_000,
  upgradeIdleTimeoutMs: 4 * 3_600_000,
  drainMs: 1_000,
  maxHeaderBytes: 1024 * 1024,
  maxHeaders: 512,
  maxConnections: 20_000,
  maxStreams: 100,
  maxBufferedBytes: 256 * 1024,
  maxPendingBytesPerConnection: 64 * 1024 * 1024,
  maxPendingBytesPerUser: 128 * 1024 * 1024,
  maxPendingBytes: 256 * 1024 * 1024,
  maxResets: 200,
  resetsPerSecond: 50,
};

/** The members of `TransportLimits` that are times, by their names in options. */
const TIMES = {
  requestTimeout: 'requestTimeoutMs',
  handshakeTimeout: 'handshakeTimeoutMs',
  headersTimeout: 'headersTimeoutMs',
  idleTimeout: 'idleTimeoutMs',
  stallTimeout: 'stallTimeoutMs',
  upgradeIdleTimeout: 'upgradeIdleTimeoutMs',
  drainTime: 'drainMs',
} as const satisfies Readonly<Record<string, keyof TransportLimits>>;

type Times = typeof TIMES;

/** The limits that differ from the defaults. Times are durations: `requestTimeout`, `handshakeTimeout`, `drainTime` and so on. */
export type TransportLimitOptions = Partial<Omit<TransportLimits, Times[keyof Times]>> & {
  readonly [Name in keyof Times]?: Duration;
};

/** All limits, with defaults for those that are absent. */
export function transportLimits(options: TransportLimitOptions = {}): TransportLimits {
  const names: Readonly<Record<string, string>> = TIMES;
  const given = Object.entries(options).flatMap(([name, value]) =>
    value === undefined ? [] : [[names[name] ?? name, millisecondsOf(value)]],
  );
  return { ...DEFAULT_TRANSPORT_LIMITS, ...Object.fromEntries(given) };
}

/**
 * How long a client may continue sending after its answer, so that it reads the answer before the connection is closed. The same as in Go's
 * server.
 */
export const LINGER_MS = 500;

/** The rest of a body up to this size is read and dropped, so that the connection can be reused. */
export const MAX_DISCARDED_BYTES = 256 * 1024;
