export type StoreFailure =
  | 'Compacted'
  | 'FutureRevision'
  | 'SlowWatcher'
  | 'Unavailable'
  | 'NoSpace'
  | 'Damaged'
  /** The files are of a format that this version does not know. */
  | 'UnknownFormat'
  | 'Locked'
  | 'TooLarge';

/** Everything a store refuses or fails at; `reason` is for programs, the message for people. */
export class StoreError extends Error {
  override readonly name: string = 'StoreError';
  readonly reason: StoreFailure;

  constructor(reason: StoreFailure, message: string, options?: ErrorOptions) {
    super(message, options);
    this.reason = reason;
  }
}

export function isStoreError(error: unknown, reason: StoreFailure): error is StoreError {
  return error instanceof StoreError && error.reason === reason;
}
