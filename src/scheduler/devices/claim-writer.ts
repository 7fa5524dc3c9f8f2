import { formatTime, instantOfMillis } from '../../api/values/index.ts';
import { CLAIM_FINALIZER } from '../../api/meaning/index.ts';
import type { Clock } from '../../base/index.ts';
import {
  type CallOptions,
  hasReason,
  type Observed,
  type Pod,
  type ResourceClaim,
  type Sendable,
  strategicPatch,
} from '../../client/index.ts';
import { reasonFor } from '../framework/fit-error.ts';
import type { Lister } from '../framework/plugin-context.ts';
import { type Allocation, type Claim, nameOf } from './claim.ts';

const MAX_ATTEMPTS = 5;

/** Writes the scheduler's decisions to claims. */
export class ClaimWriter {
  readonly #claims: Lister<ResourceClaim>;
  readonly #clock: Clock;

  constructor(claims: Lister<ResourceClaim>, clock: Clock) {
    this.#claims = claims;
    this.#clock = clock;
  }

  /** Creates the claim for a pod's extended resources. */
  async create({ metadata, spec }: Claim, options: CallOptions): Promise<Claim> {
    const { namespace, generateName, ownerReferences, annotations } = metadata;
    const kept = { namespace, generateName, ownerReferences, annotations };
    try {
      return await this.#claims.create({ metadata: kept, spec } as Sendable<ResourceClaim>, options);
    } catch (cause) {
      throw new Error(`create claim for extended resources ${metadata.namespace}/: ${reasonFor(cause)}`, { cause });
    }
  }

  /** Reserves the claim for the pod and writes its allocation, if one was made. */
  async reserve(
    claim: Claim,
    pod: Observed<Pod>,
    { allocation, signal }: CallOptions & { readonly allocation: Allocation | undefined },
  ): Promise<Claim> {
    return await this.#retrying(claim, async (current) => {
      const name = nameOf(current);
      const problem = whyNot(current, allocation);
      if (problem !== undefined) throw new Error(`claim ${name} ${problem}`);
      const kept = allocation === undefined ? current : await this.#withFinalizer(current, { signal });
      const known = allocation ?? kept.status?.allocation;
      const stamp = known?.allocationTimestamp ?? formatTime(instantOfMillis(this.#clock.now()));
      const { name: podName, uid } = pod.metadata;
      const reservedFor = [...(kept.status?.reservedFor ?? []), { resource: 'pods', name: podName, uid }];
      const status = { ...kept.status, allocation: { ...known, allocationTimestamp: stamp }, reservedFor };
      const what = allocation === undefined ? 'add reservation' : 'add allocation and reservation';
      return await saying(`${what} to claim ${name}`, () =>
        this.#claims.updateStatus({ ...kept, status } as Sendable<ResourceClaim>, { signal }),
      );
    });
  }

  /** Removes the reservation of a pod that was not bound; other reservations stay. */
  async unreserve(claim: Claim, podUid: string, options: CallOptions): Promise<void> {
    const patch = strategicPatch({
      metadata: { uid: claim.metadata.uid },
      status: { reservedFor: [{ $patch: 'delete', uid: podUid }] },
    });
    await this.#claims.patchStatus(nameOf(claim), patch, options);
  }

  /** Removes the allocation of an unused claim. */
  async deallocate(claim: Claim, options: CallOptions): Promise<void> {
    const { reservedFor: _1, allocation: _2, devices: _3, ...status } = claim.status ?? {};
    await this.#claims.updateStatus({ ...claim, status } as Sendable<ResourceClaim>, options);
  }

  /** Deletes a claim for extended resources. */
  async delete(claim: Claim, options: CallOptions): Promise<void> {
    await this.#retrying(claim, async (current) => {
      const finalizers = current.metadata.finalizers?.filter((finalizer) => finalizer !== CLAIM_FINALIZER);
      const metadata = { ...current.metadata, finalizers };
      return await this.#claims.update({ ...current, metadata } as Sendable<ResourceClaim>, options);
    });
    await this.#claims.delete(nameOf(claim), options);
  }

  async #withFinalizer(claim: Claim, options: CallOptions): Promise<Claim> {
    const { finalizers = [] } = claim.metadata;
    if (finalizers.includes(CLAIM_FINALIZER)) return claim;
    const metadata = { ...claim.metadata, finalizers: [...finalizers, CLAIM_FINALIZER] };
    return await saying(`add finalizer to claim ${nameOf(claim)}`, () =>
      this.#claims.update({ ...claim, metadata } as Sendable<ResourceClaim>, options),
    );
  }

  /** Reads the claim again and retries after a conflict. */
  async #retrying(claim: Claim, write: (current: Claim) => Promise<Claim>): Promise<Claim> {
    let current = claim;
    for (let tries = 1; ; tries++) {
      try {
        return await write(current);
      } catch (error) {
        if (tries >= MAX_ATTEMPTS || !isConflict(error)) throw error;
        current = ((await this.#claims.fetch(nameOf(claim))) as Claim | undefined) ?? current;
      }
    }
  }
}

function whyNot({ metadata, status }: Claim, allocation: Allocation | undefined): string | undefined {
  if (metadata.deletionTimestamp !== undefined) return 'got deleted in the meantime';
  if (allocation !== undefined && status?.allocation !== undefined) return 'got allocated elsewhere in the meantime';
  if (allocation === undefined && status?.allocation === undefined) return 'got deallocated elsewhere in the meantime';
  return undefined;
}

async function saying<T>(what: string, write: () => Promise<T>): Promise<T> {
  try {
    return await write();
  } catch (cause) {
    throw new Error(`${what}: ${reasonFor(cause)}`, { cause });
  }
}

function isConflict(error: unknown): boolean {
  return hasReason(error, 'Conflict') || (error instanceof Error && hasReason(error.cause, 'Conflict'));
}
