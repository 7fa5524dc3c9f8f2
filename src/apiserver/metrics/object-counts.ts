import type { MetricRegistry } from '../../base/index.ts';
import { type InProcessStore, prefixRange, type Store } from '../../store/index.ts';
import type { Resource } from '../resource.ts';
import type { ResourceRegistry } from '../resource-registry.ts';

/**
 * Counts the objects of each kind at every scrape. A store in another process answers asynchronously; its counts appear in the next scrape.
 */
export function countObjects(metrics: MetricRegistry, registry: ResourceRegistry, store: Store): void {
  const last = new Map<string, number>();
  const count = (prefix: string): number | undefined => {
    if ('rangeNow' in store) return (store as InProcessStore).rangeNow(prefixRange(prefix), { limit: 1 }).count;
    store.range(prefixRange(prefix), { limit: 1 }).then(
      (found) => last.set(prefix, found.count),
      () => last.set(prefix, -1), // as upstream reports that it failed
    );
    return last.get(prefix);
  };
  const counted = (): { readonly kind: Resource; readonly value: number }[] =>
    storedKinds(registry).flatMap((kind) => {
      const value = count(kind.storage.prefix);
      return value === undefined ? [] : [{ kind, value }];
    });
  metrics.callback(
    { name: 'apiserver_resource_objects', help: 'Objects in the store, by kind.', labels: ['group', 'resource'] },
    () => counted().map(({ kind, value }) => ({ labels: { group: kind.group, resource: kind.plural }, value })),
  );
  metrics.callback(
    { name: 'apiserver_storage_objects', help: 'Objects in the store, by kind with its group.', labels: ['resource'] },
    () =>
      counted().map(({ kind: { group, plural }, value }) => ({
        labels: { resource: group === '' ? plural : `${plural}.${group}` },
        value,
      })),
  );
}

/** Resources with stored objects, one for each prefix in the store. */
function storedKinds(registry: ResourceRegistry): readonly Resource[] {
  const byPrefix = new Map<string, Resource>();
  for (const resource of registry.groupNames().flatMap((group) => registry.resourcesOf(group))) {
    const { prefix } = resource.storage;
    if (resource.computed === undefined && !byPrefix.has(prefix)) byPrefix.set(prefix, resource);
  }
  return [...byPrefix.values()];
}
