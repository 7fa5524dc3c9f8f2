import type { PersistentVolumeClaim as ClaimObject, Pod as PodObject } from '../../api/types/core/v1.d.ts';
import { hasReason, keyOf, type Observed, PersistentVolumeClaim, Pod, type Sendable } from '../../client/index.ts';
import type { Objects, ReconcileContext } from '../../kit/index.ts';
import { type ClaimVerdict, hasStalePod, judgeClaim } from './claim-owners.ts';
import { claimsOf } from './claims.ts';
import { isWanted, podName } from './ordinals.ts';
import type { StatefulSetView } from './set-view.ts';
import { isIdentityRight, isStorageRight, repaired } from './stateful-pod.ts';

type Verb = 'Create' | 'Update' | 'Delete';

/** A pod by its ordinal; without a uid if it does not exist yet. */
interface PodOfClaims {
  readonly ordinal: number;
  readonly uid: string;
}

/** Creates, repairs and deletes the pods and claims of a StatefulSet, and records events. */
export class PodActions {
  readonly #set: StatefulSetView;
  readonly #context: ReconcileContext;
  readonly #pods: Objects<PodObject>;
  readonly #claims: Objects<ClaimObject>;

  constructor(set: StatefulSetView, context: ReconcileContext) {
    this.#set = set;
    this.#context = context;
    this.#pods = context.objects(Pod);
    this.#claims = context.objects(PersistentVolumeClaim);
  }

  /** Creates a pod after its claims. */
  async create(pod: Sendable<PodObject>, ordinal: number): Promise<void> {
    const name = podName(this.#set, ordinal);
    await this.#withFailureEvent('Create', name, () => this.#createClaims(ordinal));
    const failure = await this.#pods.create(pod).then(
      () => undefined,
      (error: unknown) => error,
    );
    if (hasReason(failure, 'AlreadyExists')) throw failure;
    await this.#withFailureEvent('Update', name, () => this.#changeClaimOwners({ ordinal, uid: '' }));
    this.#tell('Create', name, failure);
    if (failure !== undefined) throw failure;
  }

  /** Creates the missing claims of a pending pod. */
  async createMissingClaims({ metadata: { name, uid } }: Observed<PodObject>, ordinal: number): Promise<void> {
    await this.#createClaims(ordinal);
    await this.#withFailureEvent('Update', name, () => this.#changeClaimOwners({ ordinal, uid }));
  }

  /** Repairs labels and volumes of a pod and the owners of its claims. */
  async repair(pod: Observed<PodObject>, ordinal: number): Promise<void> {
    const { name, uid } = pod.metadata;
    const hasStorage = isStorageRight(this.#set, pod);
    if (hasStorage && isIdentityRight(this.#set, pod) && !this.#hasClaimToChange({ ordinal, uid })) return;
    await this.#withFailureEvent('Update', name, async () => {
      if (!hasStorage) await this.#createClaims(ordinal);
      await this.#changeClaimOwners({ ordinal, uid });
      await this.#pods.update(repaired(this.#set, pod, ordinal));
    });
    this.#tell('Update', name);
  }

  async delete(pod: Observed<PodObject>): Promise<void> {
    const { name } = pod.metadata;
    await this.#withFailureEvent('Delete', name, () => this.#pods.delete(keyOf(pod)));
    this.#tell('Delete', name);
  }

  /** Whether a claim must still be deleted with an earlier pod of this ordinal, so that no new one can be created. */
  hasStaleClaim(ordinal: number): boolean {
    if (this.#set.whenScaled === 'Retain') return false;
    const pod = { name: podName(this.#set, ordinal), uid: '' };
    return claimsOf(this.#set, ordinal).some(({ key }) =>
      hasStalePod(this.#claims.get(key)?.metadata.ownerReferences ?? [], pod),
    );
  }

  /** Applies the retention policy to the claims of a pod that is scaled down. */
  async releaseClaims(pod: Observed<PodObject>, ordinal: number): Promise<void> {
    if (this.#hasClaimToChange({ ordinal, uid: pod.metadata.uid }))
      await this.#changeClaimOwners({ ordinal, uid: pod.metadata.uid });
  }

  async #createClaims(ordinal: number): Promise<void> {
    const failures: Error[] = [];
    for (const { name, key, claim } of claimsOf(this.#set, ordinal)) {
      const found = this.#claims.get(key);
      if (found?.metadata.deletionTimestamp !== undefined) failures.push(new Error(`pvc ${name} is being deleted`));
      if (found !== undefined) continue;
      const about = `Claim ${name}`;
      const pod = `Pod ${podName(this.#set, ordinal)} in StatefulSet ${this.#set.name}`;
      try {
        await this.#claims.create(claim);
        this.#context.event({ reason: 'SuccessfulCreate', message: `Create ${about} ${pod} success` });
      } catch (cause) {
        const message = messageOf(cause);
        failures.push(new Error(`failed to create PVC ${name}: ${message}`, { cause }));
        if (hasReason(cause, 'AlreadyExists')) continue;
        const text = `Create ${about} for ${pod} failed error: ${message}`;
        this.#context.event({ type: 'Warning', reason: 'FailedCreate', message: text });
      }
    }
    const [first, ...others] = failures;
    if (first === undefined) return;
    throw others.length === 0 ? first : new Error(`[${failures.map(({ message }) => message).join(', ')}]`);
  }

  #hasClaimToChange(pod: PodOfClaims): boolean {
    return this.#judged(pod).some(({ verdict }) => verdict.owners !== undefined);
  }

  async #changeClaimOwners(pod: PodOfClaims): Promise<void> {
    for (const { claim, verdict } of this.#judged(pod)) {
      const { name } = claim.metadata;
      if (verdict.isConflicting) {
        const message = `PersistentVolumeClaim ${name} has a conflicting OwnerReference that acts as a manging controller, the retention policy is ignored for this claim`;
        this.#context.event({ type: 'Warning', reason: 'ConflictingController', message });
      }
      if (verdict.owners === undefined) continue;
      try {
        await this.#claims.update({ ...claim, metadata: { ...claim.metadata, ownerReferences: verdict.owners } });
      } catch (cause) {
        throw new Error(`could not update claim ${name} for delete policy ownerRefs: ${messageOf(cause)}`, { cause });
      }
    }
  }

  #judged({ ordinal, uid }: PodOfClaims): { readonly claim: Observed<ClaimObject>; readonly verdict: ClaimVerdict }[] {
    const { reference, whenDeleted, whenScaled } = this.#set;
    const pod = { name: podName(this.#set, ordinal), uid };
    const situation = { set: reference, pod, whenDeleted, whenScaled, isScaledDown: !isWanted(this.#set, ordinal) };
    return claimsOf(this.#set, ordinal).flatMap(({ key }) => {
      const claim = this.#claims.get(key);
      if (claim === undefined) return [];
      return [{ claim, verdict: judgeClaim(claim.metadata.ownerReferences ?? [], situation) }];
    });
  }

  /** Runs an operation on a pod and records an event if it fails; a conflict is only retried. */
  async #withFailureEvent(verb: Verb, name: string, act: () => Promise<unknown>): Promise<void> {
    try {
      await act();
    } catch (error) {
      if (!hasReason(error, 'Conflict')) this.#tell(verb, name, error);
      throw error;
    }
  }

  #tell(verb: Verb, pod: string, error?: unknown): void {
    const about = `${verb} Pod ${pod} in StatefulSet ${this.#set.name}`;
    if (error === undefined)
      return this.#context.event({ reason: `Successful${verb}`, message: `${about} successful` });
    const message = `${about} failed error: ${messageOf(error)}`;
    this.#context.event({ type: 'Warning', reason: `Failed${verb}`, message });
  }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
