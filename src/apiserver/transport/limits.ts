/** How much of everything one client may take. The numbers are kube-apiserver's where it has one. */
export interface TransportLimits {
  /** For all requests but watches and the like; a client may ask for less with `?timeout=`. */
  readonly requestTimeoutMs: number;
  readonly handshakeTimeoutMs: number;
  /** From a connection's first byte of a request to the end of its headers (HTTP/1.1). */
  readonly headersTimeoutMs: number;
  /** A connection without requests is closed after this. */
  readonly idleTimeoutMs: number;
  /** A client that takes nothing of its answer for so long is cut off. */
  readonly stallTimeoutMs: number;
  /** An upgraded connection on which nothing has passed in either direction for so long is cut off. As long as a kubelet's. */
  readonly upgradeIdleTimeoutMs: number;
  /** How long requests under way may go on once the server stops; then they are cut off. */
  readonly drainMs: number;
  readonly maxHeaderBytes: number;
  /** HTTP/2 only; with what its compression can hide in a byte, the one limit that holds while headers are unpacked. */
  readonly maxHeaders: number;
  /** Less where the process may not open so many files; half of them may come from one address. */
  readonly maxConnections: number;
  /** Requests at once on one connection. More are refused by the protocol (HTTP/2) or end the connection (HTTP/1.1). */
  readonly maxStreams: number;
  /** Bytes of one answer that wait for a client to read; the source of the answer waits with them. */
  readonly maxBufferedBytes: number;
  /** Bytes of all answers that wait for their clients to read: of one connection, of one user, and in all. */
  readonly maxPendingBytesPerConnection: number;
  readonly maxPendingBytesPerUser: number;
  readonly maxPendingBytes: number;
  /** Requests that a connection may take back at once, and how many more each second (HTTP/2 rapid reset). */
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

/**
 * How long a client that is still sending may go on after its answer, so that it reads the answer before it finds the
 * connection gone. As long as Go's server waits.
 */
export const LINGER_MS = 500;

/** What is left of a body up to this size is read and thrown away, so that the connection can be used again. */
export const MAX_DISCARDED_BYTES = 256 * 1024;
