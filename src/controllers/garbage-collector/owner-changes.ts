import { deepEqual } from '../../base/index.ts';
import type { Owner } from './graph-node.ts';

/** The difference between two lists of owner references. */
export interface OwnerChanges {
  readonly added: readonly Owner[];
  readonly removed: readonly Owner[];
  readonly changed: readonly { readonly old: Owner; readonly now: Owner }[];
}

const NO_CHANGES: OwnerChanges = { added: [], removed: [], changed: [] };

export function ownerChanges(old: readonly Owner[], now: readonly Owner[]): OwnerChanges {
  if (old === now || deepEqual(old, now)) return NO_CHANGES;
  const before = new Map(old.map((owner) => [owner.uid, owner]));
  const after = new Set(now.map(({ uid }) => uid));
  const added: Owner[] = [];
  const changed: { old: Owner; now: Owner }[] = [];
  for (const owner of now) {
    const known = before.get(owner.uid);
    if (known === undefined) added.push(owner);
    else if (!deepEqual(known, owner)) changed.push({ old: known, now: owner });
  }
  return { added, changed, removed: [...before.values()].filter(({ uid }) => !after.has(uid)) };
}

/** The uids of owners whose deletion the object blocked before these changes and does not any more. */
export function unblockedOwners({ removed, changed }: OwnerChanges): string[] {
  const released = changed.filter(({ old, now }) => blocks(old) && !blocks(now));
  return [...removed.filter(blocks), ...released.map(({ now }) => now)].map(({ uid }) => uid);
}

function blocks(owner: Owner): boolean {
  return owner.blockOwnerDeletion === true;
}
