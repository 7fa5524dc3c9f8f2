import type { ApiServer } from '../../apiserver/index.ts';
import type { Clock, Logger } from '../../base/index.ts';
import { isStoreError, singleKey } from '../../store/index.ts';
import { type OwnObject, repair } from './own-object.ts';

/** Between two repairs of the same object, so that a client that keeps undoing them does not cause an endless loop. */
const AFTER_REPAIR_MS = 1000;
const AFTER_FAILURE_MS = 10_000;

export interface KeepOptions {
  readonly clock: Clock;
  readonly log: Logger;
  readonly signal: AbortSignal;
}

/**
 * Creates the server's own objects again when a client deletes them, and repairs them when a client changes what others depend on.
 *
 * kube-apiserver checks every ten seconds, namespaces every minute; here a watch of each object reports changes at once, and nothing
 * happens while the objects stay as they are.
 */
export function keepOwnObjects(server: ApiServer, objects: readonly OwnObject[], options: KeepOptions): void {
  for (const own of objects) void keep(server, own, options);
}

async function keep(server: ApiServer, own: OwnObject, { clock, log, signal }: KeepOptions): Promise<void> {
  const { kind, object } = own;
  const { name, namespace = '' } = object.metadata;
  while (!signal.aborted) {
    try {
      const { store } = server.objects;
      const key = server.objects.of(kind.group, kind.plural).keyOf(namespace, name);
      const from = (await store.revision()) + 1;
      await repair(server, own);
      for await (const { events } of store.watch(singleKey(key), { from, signal })) {
        if (events.length === 0 || signal.aborted || !(await repair(server, own))) continue;
        log.info('own object repaired', { kind: kind.plural, namespace, name });
        await clock.sleep(AFTER_REPAIR_MS, signal);
      }
      return; // the store was closed
    } catch (error) {
      if (signal.aborted) return;
      if (isStoreError(error, 'Compacted') || isStoreError(error, 'SlowWatcher')) continue;
      log.warn('own object cannot be repaired', { kind: kind.plural, namespace, name, error });
      await clock.sleep(AFTER_FAILURE_MS, signal);
    }
  }
}
