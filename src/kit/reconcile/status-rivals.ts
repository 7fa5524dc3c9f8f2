import type { Clock, Logger } from '../../base/index.ts';
import type { KubernetesObject, Observed } from '../../client/index.ts';

/** The number of changes, each within a minute of the last, after which the other writer is reported for the first time. */
const MIN_TIMES = 8;
const WINDOW_MS = 60_000;

export interface RivalContext {
  readonly clock: Clock;
  readonly log: Logger;
}

export interface ChangedStatus {
  /** Identifies the object, also among later ones of the same name. */
  readonly id: string;
  readonly key: string;
  readonly fieldManager: string;
  /** Reads the object from the server. */
  readonly fetch: () => Promise<Observed<KubernetesObject> | undefined>;
}

/** How often the statuses of objects were changed by others, by the object's id. */
export type StatusRivals = Map<string, { readonly times: number; readonly lastMs: number }>;

/** Counts a change that another writer made to what the controller wrote last, and names the writers when there are many. */
export async function noteRival(rivals: StatusRivals, changed: ChangedStatus, app: RivalContext): Promise<void> {
  const { id, key, fieldManager, fetch } = changed;
  const nowMs = app.clock.monotonic();
  const { times: before = 0, lastMs = nowMs } = rivals.get(id) ?? {};
  const times = nowMs - lastMs > WINDOW_MS ? 1 : before + 1;
  rivals.set(id, { times, lastMs: nowMs });
  if (times < MIN_TIMES || (times & (times - 1)) !== 0) return; // at 8, 16, 32, …
  const managed = (await fetch())?.metadata.managedFields ?? [];
  const others = managed.flatMap(({ subresource, manager = '' }) => (subresource === 'status' ? manager : []));
  const managers = [...new Set([fieldManager, ...others])];
  const fields = { controller: fieldManager, object: key, times, managers };
  app.log.warn('status is changed by another writer again and again', fields);
}
