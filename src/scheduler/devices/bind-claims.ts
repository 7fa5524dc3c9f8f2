import { isReservedForPod } from '../../api/meaning/index.ts';
import type { Clock } from '../../base/index.ts';
import { type Observed, type Pod, type ResourceClaim, strategicPatch } from '../../client/index.ts';
import type { StepOptions } from '../framework/plugin.ts';
import type { Lister } from '../framework/plugin-context.ts';
import { hasBindingConditions, isOverdue, readinessOf } from './binding-conditions.ts';
import { type Allocation, nameOf } from './claim.ts';
import type { ClaimWriter } from './claim-writer.ts';
import { isWritten } from './extended-resources.ts';
import type { ClaimUse, PodState } from './pod-state.ts';

export interface BindingParts {
  readonly clock: Clock;
  readonly claims: Lister<ResourceClaim>;
  readonly pods: Lister<Pod>;
  readonly writer: ClaimWriter;
  /** Allocations that were chosen and are not written yet, by the uid of the claim. */
  readonly inFlight: Map<string, Allocation>;
  readonly timeoutMs: number;
}

const CHECK_INTERVAL_MS = 5000;

/** Writes the allocations and reservations of a pod's claims before the pod is bound. */
export async function bindClaims(
  pod: Observed<Pod>,
  state: PodState,
  { parts, nodeName, signal }: StepOptions & { readonly parts: BindingParts; readonly nodeName: string },
): Promise<void> {
  for (const use of state.uses) {
    if (isReservedForPod(use.claim, pod.metadata.uid)) continue;
    if (use.isExtended && use.allocation === undefined) continue; // the node provides the resources without devices
    try {
      if (use.isExtended && !isWritten(use.claim)) {
        const wanted = state.choices.get(nodeName)?.extended?.claim;
        if (wanted === undefined) throw new Error(`extended resource claim not found for node ${nodeName}`);
        use.claim = await parts.writer.create(wanted, { signal });
      }
      use.claim = await parts.writer.reserve(use.claim, pod, { allocation: use.allocation, signal });
    } finally {
      parts.inFlight.delete(use.uid);
    }
    if (use.isExtended) await recordOnPod(pod, use, { parts, state, nodeName, signal });
  }
}

/** Records in the pod's status which devices satisfy which container requests. */
async function recordOnPod(
  pod: Observed<Pod>,
  { claim }: ClaimUse,
  {
    parts,
    state,
    nodeName,
    signal,
  }: StepOptions & { readonly parts: BindingParts; readonly state: PodState; readonly nodeName: string },
): Promise<void> {
  const { mappings = [] } = state.choices.get(nodeName)?.extended ?? {};
  const extendedResourceClaimStatus = { requestMappings: mappings, resourceClaimName: claim.metadata.name };
  const patch = strategicPatch({ metadata: { uid: pod.metadata.uid }, status: { extendedResourceClaimStatus } });
  await parts.pods.patchStatus(`${pod.metadata.namespace}/${pod.metadata.name}`, patch, { signal });
}

/** Whether drivers must prepare devices before the pod can be bound. */
export function needsPreparation({ uses }: PodState): boolean {
  return uses.some(({ claim }) => hasBindingConditions(claim));
}

/** Waits until the drivers report that all devices are prepared. Throws when one failed or takes too long. */
export async function prepared({ uses }: PodState, parts: BindingParts, { signal }: StepOptions): Promise<void> {
  const { clock, timeoutMs } = parts;
  const endMs = clock.now() + timeoutMs;
  while (!areReady(uses, parts)) {
    if (clock.now() >= endMs) throw new Error('device binding timeout: context deadline exceeded');
    await clock.sleep(Math.min(CHECK_INTERVAL_MS, endMs - clock.now()), signal);
    signal.throwIfAborted();
  }
}

function areReady(uses: readonly ClaimUse[], { claims, clock, timeoutMs }: BindingParts): boolean {
  for (const use of uses) {
    const key = nameOf(use.claim);
    const claim = claims.get(key);
    if (claim === undefined) throw new Error(`could not find ResourceClaim ${JSON.stringify(key)}`);
    use.claim = claim;
    const readiness = readinessOf(claim);
    if (readiness.type === 'failed') throw new Error(readiness.problem);
    if (readiness.type === 'ready') continue;
    if (isOverdue(claim, { nowMs: clock.now(), timeoutMs }))
      throw new Error(`device binding timeout: claim=${claim.metadata.name}`);
    return false;
  }
  return true;
}
