import type { AbsentOwners } from './absent-owners.ts';
import { FOREGROUND_FINALIZER, hasFinalizer } from './finalizers.ts';
import type { Owner } from './graph-node.ts';
import { type LiveObjects, UnresolvableOwnerError } from './live-objects.ts';
import { type ObjectReference, ownerOf } from './object-reference.ts';

/** The uids of an object's owners, by state. */
export interface OwnerStates {
  /** Existing, and not waiting for dependents: the object stays while it has one of these. */
  readonly solid: readonly string[];
  /** Absent. */
  readonly dangling: readonly string[];
  /** In foreground deletion: they wait for the object to be deleted. */
  readonly waiting: readonly string[];
}

type Standing = keyof OwnerStates;

/** Classifies the owners of an object. Asks the API server about those not known to be absent. */
export class OwnerClassifier {
  readonly #live: LiveObjects;
  readonly #absent: AbsentOwners;

  constructor(live: LiveObjects, absent: AbsentOwners) {
    this.#live = live;
    this.#absent = absent;
  }

  async judge({ namespace }: ObjectReference, owners: readonly Owner[]): Promise<OwnerStates> {
    const verdict: Record<Standing, string[]> = { solid: [], dangling: [], waiting: [] };
    for (const owner of owners) verdict[await this.#standing(owner, namespace)].push(owner.uid);
    return verdict;
  }

  async #standing(owner: Owner, namespace: string): Promise<Standing> {
    if (this.#absent.has(ownerOf(owner, '')) || this.#absent.has(ownerOf(owner, namespace))) return 'dangling';
    const { scope } = await this.#live.kind(owner);
    if (scope === 'Namespaced' && namespace === '') {
      throw new UnresolvableOwnerError(
        `Cannot follow the reference to ${owner.kind} "${owner.name}": it is namespaced`,
      );
    }
    const reference = ownerOf(owner, scope === 'Namespaced' ? namespace : '');
    const metadata = await this.#live.get(reference);
    if (metadata?.uid !== owner.uid) {
      this.#absent.add(reference);
      return 'dangling';
    }
    const isWaiting = metadata.deletionTimestamp !== undefined && hasFinalizer(metadata, FOREGROUND_FINALIZER);
    return isWaiting ? 'waiting' : 'solid';
  }
}
