import type { ObjectMeta } from './object.ts';

/** The key of an object in caches and queues: `namespace/name`, or the name alone for cluster-scoped objects. */
export function keyOf(object: { readonly metadata?: Readonly<Pick<ObjectMeta, 'name' | 'namespace'>> }): string {
  const { name = '', namespace } = object.metadata ?? {};
  return namespace === undefined || namespace === '' ? name : `${namespace}/${name}`;
}

/** The parts of a `keyOf` key. */
export function splitKey(key: string): { readonly namespace: string | undefined; readonly name: string } {
  const slash = key.indexOf('/');
  return slash < 0
    ? { namespace: undefined, name: key }
    : { namespace: key.slice(0, slash), name: key.slice(slash + 1) };
}
