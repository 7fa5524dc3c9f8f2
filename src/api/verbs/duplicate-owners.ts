import { deepEqual } from '../../base/index.ts';
import type { ApiObject } from '../object.ts';
import { withMeta } from '../with-meta.ts';

/** When duplicates were found; the warning tells whether the client or admission added them. */
export type OwnersSeen = 'sent' | 'admitted';

/** The same object with each owner reference once. The client is warned of what was dropped. */
export function withoutDuplicateOwners<T extends ApiObject>(
  object: T,
  { seen, warn }: { readonly seen: OwnersSeen; readonly warn: (message: string) => void },
): T {
  const { ownerReferences = [] } = object.metadata;
  if (ownerReferences.length < 2) return object;
  type Reference = (typeof ownerReferences)[number];
  const byUid = new Map<string, Reference[]>();
  const duplicates: string[] = [];
  const kept = ownerReferences.filter((reference) => {
    const others = byUid.get(reference.uid) ?? [];
    if (others.some((other) => deepEqual(other, reference))) {
      duplicates.push(reference.uid);
      return false;
    }
    byUid.set(reference.uid, [...others, reference]);
    return true;
  });
  if (duplicates.length === 0) return object;
  const when = seen === 'admitted' ? ' after mutating admission happens' : '';
  warn(
    `.metadata.ownerReferences contains duplicate entries${when}; API server dedups owner references in 1.20+, ` +
      `and may reject such requests as early as 1.24; please fix your requests; duplicate UID(s) observed: ${duplicates.join(', ')}`,
  );
  return { ...object, metadata: withMeta(object.metadata, { ownerReferences: kept }) };
}
