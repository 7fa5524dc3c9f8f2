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

export interface StoreErrorOptions extends ErrorOptions {
  readonly firstRevision?: number;
}

/** Everything a store refuses or fails at; `reason` is for programs, the message for people. */
export class StoreError extends Error {
  override readonly name: string = 'StoreError';
  readonly reason: StoreFailure;
  /** With `Compacted`, where it is known: the first revision that a watch can begin with. */
  readonly firstRevision: number | undefined;

  constructor(reason: StoreFailure, message: string, options: StoreErrorOptions = {}) {
    super(message, options);
    this.reason = reason;
    this.firstRevision = options.firstRevision;
  }
}

export function isStoreError(error: unknown, reason: StoreFailure): error is StoreError {
  return error instanceof StoreError && error.reason === reason;
}
