import type { ApiObject } from '../../api/index.ts';
import { type Clock, type Logger, messageOf } from '../../base/index.ts';

const LAST_USED = 'kubernetes.io/legacy-token-last-used';
const DAY_MS = 24 * 60 * 60 * 1000;

export interface LegacyTokenUseOptions {
  readonly clock: Clock;
  readonly log: Logger;
  /** Writes an object on behalf of the server itself. */
  readonly update: (path: string, object: ApiObject) => Promise<void>;
}

/** Labels Secrets, once a day, with the date on which their token was used, so that unused ones can be found and removed. */
export class LegacyTokenUse {
  readonly #options: LegacyTokenUseOptions;

  constructor(options: LegacyTokenUseOptions) {
    this.#options = options;
  }

  /** Never rejects: a token stays valid when its use cannot be recorded. */
  async note(secret: ApiObject): Promise<void> {
    const { clock, log, update } = this.#options;
    const { namespace = '', name = '', labels = {} } = secret.metadata;
    const today = dayOf(clock.now());
    // The clock of another server may be ahead.
    if (labels?.[LAST_USED] === today || labels?.[LAST_USED] === dayOf(clock.now() + DAY_MS)) return;
    const metadata = { ...secret.metadata, labels: { ...labels, [LAST_USED]: today } };
    try {
      await update(`/api/v1/namespaces/${namespace}/secrets/${name}`, { ...secret, metadata });
    } catch (error) {
      log.error('cannot record the use of a legacy token', { secret: `${namespace}/${name}`, error: messageOf(error) });
    }
  }
}

function dayOf(ms: number): string {
  return new Date(ms).toISOString().slice(0, 10);
}
