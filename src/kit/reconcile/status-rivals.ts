import type { Clock, Logger } from '../../base/index.ts';
import type { KubernetesObject, Observed } from '../../client/index.ts';

/** How many times in a row, each within a minute of the last, a status is changed before the other writer is reported. */
const MIN_TIMES = 8;
const WINDOW_MS = 60_000;

export interface ChangedStatus {
  /** Identifies the object, also among later ones of the same name. */
  readonly id: string;
  readonly key: string;
  readonly fieldManager: string;
  /** Reads the object from the server. */
  readonly fetch: () => Promise<Observed<KubernetesObject> | undefined>;
}

/** Notices other writers that change what a controller has written into statuses, again and again, and names them. */
export class StatusRivals {
  readonly #clock: Clock;
  readonly #log: Logger;
  readonly #seen = new Map<string, { times: number; lastMs: number }>();

  constructor(clock: Clock, log: Logger) {
    this.#clock = clock;
    this.#log = log;
  }

  /** Called when the status that the controller wrote last has been changed. */
  async overwritten({ id, key, fieldManager, fetch }: ChangedStatus): Promise<void> {
    const nowMs = this.#clock.monotonic();
    const { times: before, lastMs } = this.#seen.get(id) ?? { times: 0, lastMs: nowMs };
    const times = nowMs - lastMs > WINDOW_MS ? 1 : before + 1;
    this.#seen.set(id, { times, lastMs: nowMs });
    if (times < MIN_TIMES || (times & (times - 1)) !== 0) return; // at 8, 16, 32, …
    const managed = (await fetch())?.metadata.managedFields ?? [];
    const others = managed.filter(({ subresource }) => subresource === 'status').map(({ manager = '' }) => manager);
    const managers = [...new Set([fieldManager, ...others])];
    this.#log.warn('status is changed by another writer again and again', { object: key, times, managers });
  }

  forget(id: string): void {
    this.#seen.delete(id);
  }
}
