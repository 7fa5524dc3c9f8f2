import { alreadyExists, conflict, expired, notFound, OBJECT_MODIFIED } from '../../api/client.ts';
import { BoundedQueue, type Clock, deepFreeze, onAbort, RealClock } from '../../base/index.ts';
import { keyOf, type KubernetesObject } from '../../client/index.ts';
import type { DefinedKind } from '../resource/defined-kind.ts';
import type { ApiResource } from './api-resource.ts';
import type { ApiChange, ApiContext, ApiWatchQuery } from './api-storage.ts';

export interface MemoryStorageOptions {
  /** How many changes back a watch can start; default 1000. A watch that lags by more ends. */
  readonly history?: number;
  /** Versions start with the current time, so that versions of an earlier run are recognized as too old. */
  readonly clock?: Clock;
}

const HISTORY = 1000;

interface Logged<T> {
  readonly revision: number;
  readonly change: Exclude<ApiChange<T>, { type: 'BOOKMARK' }>;
}

/** A resource whose objects are kept in the memory of this process: `api(apiVersion, { flunders: memoryStorage(Flunder) })`. */
export function memoryStorage<T extends KubernetesObject>(
  schema: DefinedKind<T>,
  options: MemoryStorageOptions = {},
): Required<Omit<ApiResource<T>, 'table'>> {
  const { history = HISTORY, clock = new RealClock() } = options;
  const resource = { group: schema.group, resource: schema.plural };
  const objects = new Map<string, T>();
  const watchers = new Set<BoundedQueue<Logged<T>>>();
  const log: Logged<T>[] = [];
  let revision = clock.now();
  let oldest = revision;

  const keyIn = (namespace: string, name: string): string => (namespace === '' ? name : `${namespace}/${name}`);

  const tell = (change: Logged<T>['change']): void => {
    const logged = { revision, change };
    log.push(logged);
    if (log.length > history) oldest = log.shift()?.revision ?? oldest;
    for (const watcher of watchers) {
      if (!watcher.offer(logged)) watcher.close(expired('too old resource version: the watch has fallen behind'));
    }
  };

  const store = (type: 'ADDED' | 'MODIFIED', object: T): T => {
    revision += 1;
    const stored: T = { ...object, metadata: { ...object.metadata, resourceVersion: String(revision) } };
    deepFreeze(stored);
    const key = keyOf(stored);
    const old = objects.get(key);
    objects.set(key, stored);
    tell({ type, object: stored, ...(old === undefined ? {} : { old }) });
    return stored;
  };

  const current = (old: T): T => {
    const { name = '', uid, resourceVersion } = old.metadata ?? {};
    const found = objects.get(keyOf(old));
    if (found === undefined) throw notFound(resource, name);
    if (found.metadata?.uid !== uid || found.metadata?.resourceVersion !== resourceVersion)
      throw conflict(resource, name, OBJECT_MODIFIED);
    return found;
  };

  async function* changes({ resourceVersion, signal }: ApiWatchQuery): AsyncGenerator<ApiChange<T>> {
    const from = resourceVersion === undefined ? revision : Number(resourceVersion);
    if (!(from >= oldest && from <= revision))
      throw expired(`too old resource version: ${resourceVersion} (${revision})`);
    const queue: BoundedQueue<Logged<T>> = new BoundedQueue(history, { onClose: () => watchers.delete(queue) });
    using _leaving = onAbort(signal, () => queue.close());
    watchers.add(queue);
    const first =
      resourceVersion === undefined
        ? Array.from(objects.values(), (object): ApiChange<T> => ({ type: 'ADDED', object }))
        : log.filter((logged) => logged.revision > from).map(({ change }) => change);
    try {
      yield* first;
      if (resourceVersion === undefined) yield { type: 'BOOKMARK', resourceVersion: String(from) };
      for await (const { change } of queue) yield change;
    } finally {
      queue.close();
    }
  }

  return {
    schema,
    get: (name: string, { namespace }: ApiContext) => objects.get(keyIn(namespace, name)),
    list: ({ namespace }) => ({
      items: [...objects.values()].filter(({ metadata }) => namespace === '' || metadata?.namespace === namespace),
      resourceVersion: String(revision),
    }),
    watch: changes,
    create(object) {
      if (objects.has(keyOf(object))) throw alreadyExists(resource, object.metadata?.name ?? '');
      return store('ADDED', object);
    },
    update(object, old) {
      current(old);
      return store('MODIFIED', object);
    },
    delete(old) {
      const found = current(old);
      objects.delete(keyOf(old));
      revision += 1;
      const gone: T = { ...found, metadata: { ...found.metadata, resourceVersion: String(revision) } };
      deepFreeze(gone);
      tell({ type: 'DELETED', object: gone, old: found });
    },
  };
}
