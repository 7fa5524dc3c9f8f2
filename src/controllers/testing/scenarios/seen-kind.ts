import type { Kind, KubernetesObject, Observed } from '../../../client/index.ts';

/** A kind whose objects are recorded. */
export interface SeenKind {
  readonly kind: Kind;
  /** What is recorded of an object besides its metadata and status. */
  readonly pick: (object: Observed<KubernetesObject>) => unknown;
}

/** Records objects of this kind: metadata, status, and what `pick` returns. */
export function see<T extends KubernetesObject>(
  kind: Kind<T>,
  pick: (object: Observed<T>) => unknown = () => undefined,
): SeenKind {
  return { kind, pick: (object) => pick(object as Observed<T>) };
}

/** What is recorded and masked. */
export interface Sight {
  readonly seen: readonly SeenKind[];
  /** Further patterns that differ between runs, with their replacements. */
  readonly masks?: readonly (readonly [RegExp, string])[];
}
