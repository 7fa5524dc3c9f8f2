import type { PolicyChanges, ResolvedPod, ResolvedPolicy, SetId } from './resolved-policy.ts';

/** Everything that an engine has delivered, put together from its changes. */
export class PolicyState {
  hasPolicies = false;
  readonly sets = new Map<SetId, Set<string>>();
  readonly policies = new Map<string, ResolvedPolicy>();
  readonly pods = new Map<string, ResolvedPod>();

  apply(changes: PolicyChanges): void {
    if (changes.isWhole) for (const each of [this.sets, this.policies, this.pods]) each.clear();
    this.hasPolicies = changes.hasPolicies;
    for (const [id, change] of changes.sets) {
      if (change.type === 'gone') this.sets.delete(id);
      else if (change.type === 'whole') this.sets.set(id, new Set(change.addresses));
      else {
        const set = this.sets.get(id);
        if (set === undefined) throw new Error(`Cannot change set "${id}": it does not exist`);
        for (const address of change.removed) set.delete(address);
        for (const address of change.added) set.add(address);
      }
    }
    setEntries(this.policies, changes.policies);
    setEntries(this.pods, changes.pods);
  }
}

/** Sets the entries that have a value, and deletes those without one. */
export function setEntries<T>(target: Map<string, T>, changes: ReadonlyMap<string, T | undefined>): void {
  for (const [key, value] of changes) {
    if (value === undefined) target.delete(key);
    else target.set(key, value);
  }
}
