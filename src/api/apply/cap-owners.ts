import { compareUtf8 } from '../../base/index.ts';
import { compareTimes } from './encode-owners.ts';
import { union } from './field-set-algebra.ts';
import { type Owner, ownerId, type Owners } from './owners.ts';

/** So many owners by update are kept apart. */
const MAX_UPDATERS = 10;
/** Who owns what the older ones owned. */
const ANCIENT_MANAGER = 'ancient-changes';

/** Merges the oldest owners by update, those of the same version with each other, until there are few enough. */
export function capOwners(owners: Owners): Owners {
  if (owners.size <= MAX_UPDATERS) return owners;
  const updaters = [...owners].filter(([, owner]) => owner.operation === 'Update');
  if (updaters.length <= MAX_UPDATERS) return owners;
  updaters.sort(
    ([leftId, left], [rightId, right]) => compareTimes(left.time, right.time) || compareUtf8(leftId, rightId),
  );
  const result = new Map(owners);
  const firstOfVersion = new Map<string, string>();
  let surplus = updaters.length - MAX_UPDATERS;
  for (const [id, owner] of updaters) {
    if (surplus === 0) break;
    const firstId = firstOfVersion.get(owner.apiVersion);
    if (firstId === undefined) {
      firstOfVersion.set(owner.apiVersion, id);
      continue;
    }
    mergeInto(result, [id, owner], firstId);
    surplus -= 1;
  }
  return result;
}

/** Moves what an owner has into the bucket of its version, which the first one of the version becomes. */
function mergeInto(owners: Map<string, Owner>, [id, owner]: readonly [string, Owner], firstId: string): void {
  const { apiVersion, time } = owner;
  const ancient = { manager: ANCIENT_MANAGER, operation: 'Update', apiVersion, subresource: '' } as const;
  const ancientId = ownerId(ancient);
  let bucket = owners.get(ancientId);
  if (bucket === undefined) {
    bucket = owners.get(firstId) ?? owner;
    owners.delete(firstId);
  }
  owners.delete(id);
  owners.set(ancientId, { ...ancient, time, set: union(owner.set, bucket.set) });
}
