/**
 * Why a request got no response:
 * - `connect`: no connection was made, so nothing was sent;
 * - `refused`: the server reports that it did not process the request;
 * - `cut`: the connection was lost, and the server may or may not have processed the request;
 * - `timeout`: the caller's timeout passed;
 * - `credentials`: the client's credentials could not be obtained;
 * - `tooLarge`: the response is larger than the client's limit;
 * - `protocol`: the response is not one of an API server;
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

/** The request got no response. An error response of the server is a `StatusError` instead. */
export class TransportError extends Error {
  override readonly name = 'TransportError';
  readonly reason: TransportFailure;
  /** The request was sent on a reused connection that failed without a response: the server had most likely closed it before. */
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

/** Whether it is a TransportError, with one of the reasons if any are given. */
export function isTransportError(error: unknown, ...reasons: readonly TransportFailure[]): error is TransportError {
  return error instanceof TransportError && (reasons.length === 0 || reasons.includes(error.reason));
}
