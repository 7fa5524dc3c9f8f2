import type { Allocator } from './allocator.ts';
import type { Allocation, Claim } from './claim.ts';
import type { NodeClaim } from './extended-resources.ts';

/** A claim of the pod that is being scheduled. */
export interface ClaimUse {
  /** As it was when the try began, or as it was written since. */
  claim: Claim;
  /** Made by the scheduler, for resources that containers request. */
  readonly isExtended: boolean;
  /** Its uid when the try began: a claim for extended resources gets another one when it is written. */
  readonly uid: string;
  /** The devices that were chosen for it in this try. */
  allocation?: Allocation;
}

/** What was found for a node: devices for each claim that has none yet, in their order. */
export interface NodeChoice {
  readonly allocations: readonly Allocation[];
  readonly extended: NodeClaim | undefined;
}

/** What is known about the claims of a pod during a try. */
export interface PodState {
  readonly uses: readonly ClaimUse[];
  /** Undefined when all claims have devices. */
  readonly allocator: Allocator | undefined;
  /** Claims whose devices some node cannot use. */
  readonly unavailable: Set<ClaimUse>;
  readonly choices: Map<string, NodeChoice>;
}

export function newPodState(uses: readonly ClaimUse[] = [], allocator?: Allocator): PodState {
  return { uses, allocator, unavailable: new Set(), choices: new Map() };
}

/** The claims that have no devices yet. */
export function withoutDevices({ uses }: Pick<PodState, 'uses'>): readonly ClaimUse[] {
  return uses.filter(({ claim }) => claim.status?.allocation === undefined);
}

/** The best alternative of a request counts so much, the next one less. */
const MOST_ALTERNATIVES = 8;

/** How good the alternatives are that were chosen for a node. */
export function preferenceOf({ uses }: PodState, { allocations }: NodeChoice): number {
  let score = 0;
  let next = 0;
  for (const { claim } of uses) {
    const allocation = claim.status?.allocation ?? allocations[next++];
    const chosen = new Set((allocation?.devices?.results ?? []).map(({ request }) => request));
    for (const { name, firstAvailable = [] } of claim.spec.devices?.requests ?? [])
      for (const [at, alternative] of firstAvailable.entries())
        if (chosen.has(`${name}/${alternative.name}`)) score += MOST_ALTERNATIVES - at;
  }
  return score;
}
