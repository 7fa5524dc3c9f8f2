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
  /** The request went out on a connection that had been kept, and nothing came back: the server has most likely closed it before. */
  readonly wasKept: boolean;

  constructor(
    reason: TransportFailure,
    message: string,
    { wasKept = false, ...options }: ErrorOptions & { readonly wasKept?: boolean } = {},
  ) {
    super(message, options);
    this.reason = reason;
    this.wasKept = wasKept;
  }
}

/** Whether it is such an error, for one of the reasons if there are any. */
export function isTransportError(error: unknown, ...reasons: readonly TransportFailure[]): error is TransportError {
  return error instanceof TransportError && (reasons.length === 0 || reasons.includes(error.reason));
}
