import type { ObjectMeta } from '../../api/index.ts';
import { deepEqual } from '../../base/index.ts';
import type { GuardedWrite } from '../access.ts';
import type { KindRules } from '../kind.ts';

type Guard<T> = (object: T, write: GuardedWrite<T>) => Promise<void> | undefined;

/** Calls a guard before all other checks of a write. */
export function guarded<T extends { metadata?: ObjectMeta }>(
  guard: Guard<T>,
): Pick<KindRules<T>, 'prepareForCreate' | 'prepareForUpdate'> {
  return {
    prepareForCreate: (object, { user, signal }) => guard(object, { user, signal, old: undefined }),
    prepareForUpdate: (object, old, { user, signal }) =>
      isForCollection(object, old) ? undefined : guard(object, { user, signal, old }),
  };
}

/** Whether only fields changed that the garbage collector changes, which is always allowed. */
function isForCollection(object: { metadata?: ObjectMeta }, old: { metadata?: ObjectMeta }): boolean {
  const { ownerReferences, finalizers, managedFields } = old.metadata ?? {};
  const { ownerReferences: _1, finalizers: _2, managedFields: _3, ...metadata } = object.metadata ?? {};
  const others = Object.entries({ ownerReferences, finalizers, managedFields }).filter(
    ([, value]) => value !== undefined,
  );
  return deepEqual({ ...object, metadata: { ...metadata, ...Object.fromEntries(others) } }, old);
}
