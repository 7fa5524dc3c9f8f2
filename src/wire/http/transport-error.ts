/**
 * Why no answer came:
 * - `connect`: no connection was made, so nothing was sent;
 * - `refused`: the server says that it did not look at the request;
 * - `cut`: the connection was lost on the way, and nobody knows how far the request got;
 * - `timeout`: the caller's time was up;
 * - `credentials`: there was nothing to show to the server;
 * - `tooLarge`: the answer is larger than this client takes;
 * - `protocol`: what came is no answer of an API server;
 * - `closed`: the client has been closed.
 */
export type TransportFailure =
  | 'connect'
  | 'refused'
  | 'cut'
  | 'timeout'
  | 'credentials'
  | 'tooLarge'
  | 'protocol'
  | 'closed';

/** The request got no answer. What the server itself refuses is a `StatusError` instead. */
export class TransportError extends Error {
  override readonly name = 'TransportError';
  readonly reason: TransportFailure;

  constructor(reason: TransportFailure, message: string, options?: ErrorOptions) {
    super(message, options);
    this.reason = reason;
  }
}

export function isTransportError(error: unknown, reason?: TransportFailure): error is TransportError {
  return error instanceof TransportError && (reason === undefined || error.reason === reason);
}
