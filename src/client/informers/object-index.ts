import type { Kind, KubernetesObject, Observed } from '../kind.ts';

/** A way to look up the objects of a kind. Caches build it the first time somebody looks something up by it, once for all. */
export interface Index<T extends KubernetesObject> {
  /** Undefined: it is for objects of any kind. */
  readonly kind: Kind | undefined;
  /** The value or values under which an object is found; undefined when it is not. A text is one value. */
  readonly valuesOf: (object: Observed<T>) => Iterable<string> | undefined;
}

/** An index of a kind: `const podsByNode = index(Pod, (pod) => pod.spec?.nodeName)`. Who shares it shares what it costs. */
export function index<T extends KubernetesObject>(kind: Kind<T>, valuesOf: Index<T>['valuesOf']): Index<T> {
  return { kind, valuesOf };
}

/** The objects of a namespace. */
export const byNamespace: Index<KubernetesObject> = {
  kind: undefined,
  valuesOf: ({ metadata: { namespace } }) => (namespace === '' ? undefined : namespace),
};
