import type { ObjectMeta } from '../../api/index.ts';
import { deepEqual } from '../../base/index.ts';
import type { GuardedWrite } from '../access.ts';
import type { KindRules } from '../kind.ts';

type Guard<T> = (object: T, write: GuardedWrite<T>) => Promise<void> | undefined;

/** Has a guard look at what is written, before it is checked in any other way. */
export function guarded<T extends { metadata?: ObjectMeta }>(
  guard: Guard<T>,
): Pick<KindRules<T>, 'prepareForCreate' | 'prepareForUpdate'> {
  return {
    prepareForCreate: (object, { user, signal }) => guard(object, { user, signal, old: undefined }),
    prepareForUpdate: (object, old, { user, signal }) =>
      isForCollection(object, old) ? undefined : guard(object, { user, signal, old }),
  };
}

/** Whether nothing is changed but what the garbage collector has to change, whatever it may grant itself. */
function isForCollection(object: { metadata?: ObjectMeta }, old: { metadata?: ObjectMeta }): boolean {
  const { ownerReferences, finalizers, managedFields } = old.metadata ?? {};
  const { ownerReferences: _1, finalizers: _2, managedFields: _3, ...metadata } = object.metadata ?? {};
  const others = Object.entries({ ownerReferences, finalizers, managedFields }).filter(
    ([, value]) => value !== undefined,
  );
  return deepEqual({ ...object, metadata: { ...metadata, ...Object.fromEntries(others) } }, old);
}
