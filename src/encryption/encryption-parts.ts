import type { Clock, Logger, Random, UidSource } from '../base/index.ts';

export interface EncryptionParts {
  readonly clock: Clock;
  readonly random: Random;
  readonly uids: UidSource;
  readonly log: Logger;
  /** Translates a key of the store to its name in other servers; default: the same name. */
  readonly keyName?: (key: string) => string;
}

/** An unusable encryption configuration file. */
export class EncryptionConfigError extends Error {
  override readonly name = 'EncryptionConfigError';
}
