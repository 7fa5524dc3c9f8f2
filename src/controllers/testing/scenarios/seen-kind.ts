import type { Kind, KubernetesObject, Observed } from '../../../client/index.ts';

/** A kind whose objects are looked at. */
export interface SeenKind {
  readonly kind: Kind;
  /** What is noted of an object besides its metadata and status. */
  readonly pick: (object: Observed<KubernetesObject>) => unknown;
}

/** Objects of this kind are looked at: metadata, status, and what else is picked. */
export function see<T extends KubernetesObject>(
  kind: Kind<T>,
  pick: (object: Observed<T>) => unknown = () => undefined,
): SeenKind {
  return { kind, pick: (object) => pick(object as Observed<T>) };
}

/** What is looked at, and what is left out of it. */
export interface Sight {
  readonly seen: readonly SeenKind[];
  /** What differs from run to run besides names, times and uids, and what stands for it. */
  readonly masks?: readonly (readonly [RegExp, string])[];
}
