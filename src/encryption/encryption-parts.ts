import type { Clock, Logger, Random, UidSource } from '../base/index.ts';

export interface EncryptionParts {
  readonly clock: Clock;
  readonly random: Random;
  readonly uids: UidSource;
  readonly log: Logger;
  /** What a key of the store is called where other servers see it; the same unless given. */
  readonly keyName?: (key: string) => string;
}

/** A file that says who encrypts what, and cannot be used. */
export class EncryptionConfigError extends Error {
  override readonly name = 'EncryptionConfigError';
}
