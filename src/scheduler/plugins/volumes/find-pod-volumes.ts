import {
  capacityOf,
  hasAccessModes,
  hasSameAttributes,
  hasSameMode,
  isReservedFor,
  requestOf,
  SELECTED_NODE,
  storageClassNameOf,
  volumeNodes,
} from '../../../api/meaning/index.ts';
import { matchLabelSelector, ValueError } from '../../../api/values/index.ts';
import { keyOf, type Node, type Observed, type PersistentVolume } from '../../../client/index.ts';
import type { Claim, PodClaims, VolumeLookup } from './pod-claims.ts';
import { provisioningOn } from './provisioning.ts';

type Volume = Observed<PersistentVolume>;

/** A volume that was chosen for a claim. */
export interface StaticBinding {
  readonly volume: Volume;
  readonly claim: Claim;
}

/** The bindings and provisioning requests for the pod's claims on a node. */
export interface PodVolumes {
  readonly bindings: readonly StaticBinding[];
  /** Claims whose volumes are to be provisioned for the node. */
  readonly provisions: readonly Claim[];
}

const NODE_CONFLICT = "node(s) didn't match PersistentVolume's node affinity";
const BIND_CONFLICT = "node(s) didn't find available persistent volumes to bind";
const NOT_ENOUGH_SPACE = 'node(s) did not have enough free storage';
const NO_VOLUME = 'node(s) unavailable due to one or more pvc(s) bound to non-existent pv(s)';

/** How the pod's claims can be satisfied on the node, or the reasons why they cannot. */
export function findPodVolumes(
  { bound, delayed }: PodClaims,
  node: Observed<Node>,
  lookup: VolumeLookup,
): PodVolumes | readonly string[] {
  const conflict = boundConflict(bound, node, lookup);
  // a missing volume is reported last
  const [before, after] = conflict === NO_VOLUME ? [[], [NO_VOLUME]] : [conflict ?? [], []];
  const found = delayed.length === 0 ? NOTHING_TO_DO : findForDelayed(delayed, node, lookup);
  const reasons = [before, typeof found === 'string' ? found : [], after].flat();
  return reasons.length === 0 && typeof found !== 'string' ? found : reasons;
}

const NOTHING_TO_DO: PodVolumes = { bindings: [], provisions: [] };

function boundConflict(claims: readonly Claim[], node: Observed<Node>, { volumes }: VolumeLookup): string | undefined {
  for (const { spec } of claims) {
    const volume = volumes.get(spec?.volumeName ?? '');
    if (volume === undefined) return NO_VOLUME;
    if (volumeNodes(volume)?.(node) === false) return NODE_CONFLICT;
  }
  return undefined;
}

function findForDelayed(claims: readonly Claim[], node: Observed<Node>, lookup: VolumeLookup): PodVolumes | string {
  const selected = (claim: Claim): string | undefined => claim.metadata.annotations?.[SELECTED_NODE];
  if (claims.some((claim) => (selected(claim) ?? node.metadata.name) !== node.metadata.name)) return BIND_CONFLICT;
  const chosen = new Set<string>();
  const bindings: StaticBinding[] = [];
  const provisions = claims.filter((claim) => selected(claim) !== undefined);
  const unselected = claims.filter((claim) => selected(claim) === undefined);
  for (const claim of unselected.toSorted((left, right) => requestOf(left).compare(requestOf(right)))) {
    const volume = matchingVolume(claim, node, { lookup, chosen });
    if (volume === undefined) provisions.push(claim);
    else {
      chosen.add(volume.metadata.name);
      bindings.push({ volume, claim });
    }
  }
  for (const claim of provisions) {
    const answer = provisioningOn(claim, node, lookup);
    if (answer === 'impossible') return BIND_CONFLICT;
    if (answer === 'no space') return NOT_ENOUGH_SPACE;
  }
  return { bindings, provisions };
}

/** The volume that is pre-bound to the claim, if the node can reach it; otherwise the smallest that fits. */
function matchingVolume(
  claim: Claim,
  node: Observed<Node>,
  { lookup, chosen }: { readonly lookup: VolumeLookup; readonly chosen: ReadonlySet<string> },
): Volume | undefined {
  const className = storageClassNameOf(claim);
  const selector = matchLabelSelector(claim.spec?.selector ?? {});
  if (selector instanceof ValueError)
    throw new Error(`error creating internal label selector for claim: ${keyOf(claim)}: ${selector.message}`);
  const request = requestOf(claim);
  let smallest: Volume | undefined;
  for (const volume of lookup.volumesOfClass(className)) {
    const isReserved = isReservedFor(volume, claim);
    if (chosen.has(volume.metadata.name) || (volume.spec?.claimRef !== undefined && !isReserved)) continue;
    if (volume.metadata.deletionTimestamp !== undefined || capacityOf(volume).compare(request) < 0) continue;
    if (!hasSameMode(volume, claim) || !hasSameAttributes(volume, claim)) continue;
    const isReachable = volumeNodes(volume)?.(node) ?? true;
    if (isReserved) return isReachable ? volume : undefined;
    if (!isReachable || volume.status?.phase !== 'Available' || !hasAccessModes(volume, claim)) continue;
    if (!selector.matches(volume.metadata.labels ?? {})) continue;
    if (smallest === undefined || capacityOf(smallest).compare(capacityOf(volume)) > 0) smallest = volume;
  }
  return smallest;
}
