import { keyOf, type Observed, type PersistentVolumeClaim } from '../../client/index.ts';
import type { TopologyRequirement } from './volume-driver.ts';

/** A creation whose outcome is not known. */
export interface PendingCreation {
  readonly claim: Observed<PersistentVolumeClaim>;
  /** The same in every attempt: nodes may come and go in between. */
  readonly places: TopologyRequirement | undefined;
}

/** More at once than drivers are ever asked for; the oldest is given up then. */
const CAPACITY = 10_000;

/**
 * Creations of volumes that a driver may be at work on. They are finished even if the claim is deleted: only then is the
 * volume known, and can be deleted, too.
 */
export class PendingCreations {
  readonly #byUid = new Map<string, PendingCreation>();

  of({ metadata }: Observed<PersistentVolumeClaim>): PendingCreation | undefined {
    return this.#byUid.get(metadata.uid);
  }

  add(creation: PendingCreation): void {
    const [oldest] = this.#byUid.keys();
    if (oldest !== undefined && this.#byUid.size >= CAPACITY) this.#byUid.delete(oldest);
    this.#byUid.set(creation.claim.metadata.uid, creation);
  }

  end({ metadata }: Observed<PersistentVolumeClaim>): void {
    this.#byUid.delete(metadata.uid);
  }

  /** Those of claims that had this key and are gone. */
  abandoned(key: string, current: Observed<PersistentVolumeClaim> | undefined): readonly PendingCreation[] {
    if (this.#byUid.size === 0) return [];
    return [...this.#byUid.values()].filter(
      ({ claim }) => keyOf(claim) === key && claim.metadata.uid !== current?.metadata.uid,
    );
  }
}
