import type { Call } from '../request/call.ts';
import type { SentAnswer } from '../request/request-record.ts';

export type { SentAnswer };

/** The version of HTTP of a connection, by its ALPN name. */
export type Protocol = 'h2' | 'http/1.1';

/** Observes connections and requests, for metrics. */
export interface TransportObserver {
  connectionOpened(protocol: Protocol): void;
  connectionClosed(protocol: Protocol): void;
  /** A client connected but the TLS handshake failed. */
  handshakeFailed(): void;
  /** Called once per request, when nothing more will be sent. */
  answered(call: Call, answer: SentAnswer): void;
  /** The request deadline passed. `answered` follows. */
  timedOut(call: Call): void;
  /** A client did not read its answer and was disconnected. `answered` follows. */
  stalled(call: Call): void;
}

/** An observer that does nothing. */
export const silentObserver: TransportObserver = {
  connectionOpened: ignore,
  connectionClosed: ignore,
  handshakeFailed: ignore,
  answered: ignore,
  timedOut: ignore,
  stalled: ignore,
};

function ignore(): void {
  // nothing to do
}
