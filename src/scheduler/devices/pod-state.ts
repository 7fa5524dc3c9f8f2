import type { Allocator } from './allocator.ts';
import type { Allocation, Claim } from './claim.ts';
import type { NodeClaim } from './extended-resources.ts';

/** A claim of the pod being scheduled. */
export interface ClaimUse {
  /** As it was when the attempt began, or as written since. */
  claim: Claim;
  /** Set for a claim that the scheduler created for extended resources. */
  readonly isExtended: boolean;
  /** Its uid when the attempt began; a claim for extended resources gets its real uid when it is created. */
  readonly uid: string;
  /** The devices chosen in this attempt. */
  allocation?: Allocation;
}

/** The result for a node: allocations for the unallocated claims, in order. */
export interface NodeChoice {
  readonly allocations: readonly Allocation[];
  readonly extended: NodeClaim | undefined;
}

/** The state of the pod's claims during an attempt. */
export interface PodState {
  readonly uses: readonly ClaimUse[];
  /** Undefined when all claims are allocated. */
  readonly allocator: Allocator | undefined;
  /** Claims whose devices at least one node cannot use. */
  readonly unavailable: Set<ClaimUse>;
  readonly choices: Map<string, NodeChoice>;
}

export function newPodState(uses: readonly ClaimUse[] = [], allocator?: Allocator): PodState {
  return { uses, allocator, unavailable: new Set(), choices: new Map() };
}

/** The claims that are not allocated. */
export function withoutDevices({ uses }: Pick<PodState, 'uses'>): readonly ClaimUse[] {
  return uses.filter(({ claim }) => claim.status?.allocation === undefined);
}

/** Maximum number of subrequests; the score of the first one. */
const MAX_SUBREQUESTS = 8;

/** Scores the subrequests that were chosen for a node: earlier ones are better. */
export function preferenceOf({ uses }: PodState, { allocations }: NodeChoice): number {
  let score = 0;
  let next = 0;
  for (const { claim } of uses) {
    const allocation = claim.status?.allocation ?? allocations[next++];
    const chosen = new Set((allocation?.devices?.results ?? []).map(({ request }) => request));
    for (const { name, firstAvailable = [] } of claim.spec.devices?.requests ?? [])
      for (const [at, alternative] of firstAvailable.entries())
        if (chosen.has(`${name}/${alternative.name}`)) score += MAX_SUBREQUESTS - at;
  }
  return score;
}
