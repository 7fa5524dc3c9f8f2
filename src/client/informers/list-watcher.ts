import type { KubernetesObject, Observed } from '../kind.ts';
import type { List } from '../resource/list.ts';
import type { ListOptions, Selection, WatchEvent, WatchOptions } from '../resource/options.ts';

/** What a reflector needs from a server; `ResourceClient` implements it. */
export interface ListWatcher<T extends KubernetesObject> {
  list(options: ListOptions): Promise<List<T>>;
  watchBatches(options: WatchOptions): AsyncIterable<readonly WatchEvent<T>[]>;
}

/** The same source, restricted to a selection of its objects. */
export function selected<T extends KubernetesObject>(source: ListWatcher<T>, selection: Selection): ListWatcher<T> {
  const { labelSelector, fieldSelector } = selection;
  if (labelSelector === undefined && fieldSelector === undefined) return source;
  return {
    list: (options) => source.list({ ...options, labelSelector, fieldSelector }),
    watchBatches: (options) => source.watchBatches({ ...options, labelSelector, fieldSelector }),
  };
}

/** The same source, with every object mapped. */
export function mapObjects<T extends KubernetesObject>(
  source: ListWatcher<T>,
  map: (object: Observed<T>) => Observed<T>,
): ListWatcher<T> {
  const mapEvent = (event: WatchEvent<T>): WatchEvent<T> =>
    event.type === 'BOOKMARK' ? event : { type: event.type, object: map(event.object) };
  return {
    async list(options) {
      const list = await source.list(options);
      return { ...list, items: list.items.map(map) };
    },
    async *watchBatches(options) {
      for await (const batch of source.watchBatches(options)) yield batch.map(mapEvent);
    },
  };
}
