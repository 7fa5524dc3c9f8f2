export type StoreFailure =
  | 'Compacted'
  | 'FutureRevision'
  | 'SlowWatcher'
  | 'Unavailable'
  | 'NoSpace'
  | 'Damaged'
  /** The files have a format that this version does not know. */
  | 'UnknownFormat'
  | 'Locked'
  | 'TooLarge';

export interface StoreErrorOptions extends ErrorOptions {
  readonly firstRevision?: number;
}

/** Any refusal or failure of a store; `reason` is for programs, the message for people. */
export class StoreError extends Error {
  override readonly name: string = 'StoreError';
  readonly reason: StoreFailure;
  /** With `Compacted`, if known: the first revision from which a watch can start. */
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
