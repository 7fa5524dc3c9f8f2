import { SELECTED_NODE, volumeNodes } from '../../../api/meaning/index.ts';
import {
  keyOf,
  type Node,
  type Observed,
  type PersistentVolume,
  type PersistentVolumeClaim,
  type Pod,
  type Sendable,
} from '../../../client/index.ts';
import type { Lister } from '../../framework/plugin-context.ts';
import type { PodVolumes, StaticBinding } from './find-pod-volumes.ts';
import { type Claim, isFullyBound, type VolumeLookup } from './pod-claims.ts';

export interface BindingListers {
  readonly lookup: VolumeLookup;
  readonly nodes: Lister<Node>;
  readonly pods: Lister<Pod>;
}

/**
 * Writes the bindings to volumes and the selected node to claims; the PV controller and the provisioners act on that.
 */
export async function writeDecisions({ bindings, provisions }: PodVolumes, lookup: VolumeLookup): Promise<void> {
  for (const { volume } of bindings) await lookup.volumes.actual.update(volume as Sendable<PersistentVolume>);
  for (const claim of provisions) await lookup.claims.actual.update(claim as Sendable<PersistentVolumeClaim>);
}

/** Whether all claims of the pod are bound; throws when they cannot be bound any more. */
export function areBound(
  { bindings, provisions }: PodVolumes,
  { podKey, nodeName }: { readonly podKey: string; readonly nodeName: string },
  { lookup, nodes, pods }: BindingListers,
): boolean {
  const node = nodes.get(nodeName);
  if (node === undefined) throw new Error(`failed to get node "${nodeName}": node "${nodeName}" not found`);
  if (pods.get(podKey) === undefined)
    throw new Error(`pod does not exist any more: pod "${podKey.slice(podKey.indexOf('/') + 1)}" not found`);
  return (
    bindings.every((binding) => isBindingDone(binding, node, lookup)) &&
    provisions.every((claim) => isProvisioned(claim, node, lookup))
  );
}

function isBindingDone(binding: StaticBinding, node: Observed<Node>, { volumes, claims }: VolumeLookup): boolean {
  const { name } = binding.volume.metadata;
  const volume = volumes.actual.get(name);
  if (volume === undefined) throw new Error(`failed to check binding: persistentvolumes "${name}" not found`);
  const claim = claims.actual.get(keyOf(binding.claim));
  if (claim === undefined) throw goneClaim('failed to check binding', binding.claim);
  checkReach(volume, node);
  if ((volume.spec?.claimRef?.uid ?? '') === '') throw new Error(`ClaimRef got reset for pv "${name}"`);
  return isFullyBound(claim);
}

function isProvisioned(asked: Claim, node: Observed<Node>, { volumes, claims }: VolumeLookup): boolean {
  const claim = claims.actual.get(keyOf(asked));
  if (claim === undefined) throw goneClaim('failed to check provisioning pvc', asked);
  const { name, annotations } = claim.metadata;
  if (annotations === undefined) throw new Error(`selectedNode annotation reset for PVC "${name}"`);
  if (annotations[SELECTED_NODE] !== node.metadata.name) throw new Error(`provisioning failed for PVC "${name}"`);
  const { volumeName = '' } = claim.spec ?? {};
  if (volumeName !== '') {
    const volume = volumes.actual.get(volumeName);
    if (volume === undefined) return false;
    checkReach(volume, node);
  }
  return isFullyBound(claim);
}

function goneClaim(what: string, claim: Claim): Error {
  return new Error(`${what}: persistentvolumeclaims "${keyOf(claim)}" not found`);
}

function checkReach(volume: Observed<PersistentVolume>, node: Observed<Node>): void {
  if (volumeNodes(volume)?.(node) !== false) return;
  const names = `pv "${volume.metadata.name}" node affinity doesn't match node "${node.metadata.name}"`;
  throw new Error(`${names}: no matching NodeSelectorTerms`);
}
