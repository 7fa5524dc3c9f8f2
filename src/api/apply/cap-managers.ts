import { compareUtf8 } from '../../base/index.ts';
import { compareTimes } from './encode-managed-fields.ts';
import { union } from './field-set-algebra.ts';
import { type FieldManager, managerId, type FieldManagers } from './field-managers.ts';

/** So many managers by update are kept apart. */
const MAX_UPDATERS = 10;
/** Who owns what the older ones owned. */
const ANCIENT_MANAGER = 'ancient-changes';

/** Merges the oldest managers by update, those of the same version with each other, until there are few enough. */
export function capManagers(managers: FieldManagers): FieldManagers {
  if (managers.size <= MAX_UPDATERS) return managers;
  const updaters = [...managers].filter(([, manager]) => manager.operation === 'Update');
  if (updaters.length <= MAX_UPDATERS) return managers;
  updaters.sort(
    ([leftId, left], [rightId, right]) => compareTimes(left.time, right.time) || compareUtf8(leftId, rightId),
  );
  const result = new Map(managers);
  const firstOfVersion = new Map<string, string>();
  let surplus = updaters.length - MAX_UPDATERS;
  for (const [id, manager] of updaters) {
    if (surplus === 0) break;
    const firstId = firstOfVersion.get(manager.apiVersion);
    if (firstId === undefined) {
      firstOfVersion.set(manager.apiVersion, id);
      continue;
    }
    mergeInto(result, [id, manager], firstId);
    surplus -= 1;
  }
  return result;
}

/** Moves what a manager has into the bucket of its version, which the first one of the version becomes. */
function mergeInto(
  managers: Map<string, FieldManager>,
  [id, manager]: readonly [string, FieldManager],
  firstId: string,
): void {
  const { apiVersion, time } = manager;
  const ancient = { name: ANCIENT_MANAGER, operation: 'Update', apiVersion, subresource: '' } as const;
  const ancientId = managerId(ancient);
  let bucket = managers.get(ancientId);
  if (bucket === undefined) {
    bucket = managers.get(firstId) ?? manager;
    managers.delete(firstId);
  }
  managers.delete(id);
  managers.set(ancientId, { ...ancient, time, set: union(manager.set, bucket.set) });
}
