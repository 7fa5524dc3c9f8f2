import type { Kind, KubernetesObject, Observed } from '../kind.ts';

/** A way to look up the objects of a kind. A cache builds the index at the first look-up, once for all users. */
export interface Index<T extends KubernetesObject> {
  /** Undefined: the index works for every kind. */
  readonly kind: Kind | undefined;
  /** The values under which an object is found; undefined for none. A string is one value. */
  readonly valuesOf: (object: Observed<T>) => Iterable<string> | undefined;
}

/**
 * An index of a kind: `const podsByNode = index(Pod, (pod) => pod.spec?.nodeName)`. Users of the same index value share
 * one table per cache.
 */
export function index<T extends KubernetesObject>(kind: Kind<T>, valuesOf: Index<T>['valuesOf']): Index<T> {
  return { kind, valuesOf };
}

/** The objects of a namespace. */
export const byNamespace: Index<KubernetesObject> = {
  kind: undefined,
  valuesOf: ({ metadata: { namespace } }) => (namespace === '' ? undefined : namespace),
};
