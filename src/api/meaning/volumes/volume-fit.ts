import type { DeepReadonly } from '../../../base/index.ts';
import { parseQuantity } from '../../values/parse-quantity.ts';
import { type Quantity, quantityOf } from '../../values/quantity.ts';
import { ValueError } from '../../values/value-error.ts';
import type { PersistentVolume, PersistentVolumeClaim } from '../../types/core/v1.d.ts';
import { anyTerm, type NodeTest } from '../node-selector.ts';
import { storageClassNameOf } from './storage-class-name.ts';

type Volume = DeepReadonly<PersistentVolume>;
type Claim = DeepReadonly<PersistentVolumeClaim>;

const DEFAULT_MODE = 'Filesystem';

/** Why a volume that a claim names does not fit it; undefined if it does. */
export function misfit(volume: Volume, claim: Claim): string | undefined {
  const { name, deletionTimestamp } = volume.metadata ?? {};
  if (deletionTimestamp !== undefined) return `the volume is marked for deletion ${JSON.stringify(name)}`;
  if (capacityOf(volume).compare(requestOf(claim)) < 0) return 'requested PV is too small';
  if (storageClassNameOf(volume) !== storageClassNameOf(claim)) return 'storageClassName does not match';
  if (!hasSameAttributes(volume, claim)) return 'volumeAttributesClassName does not match';
  if (!hasSameMode(volume, claim)) return 'incompatible volumeMode';
  if (!hasAccessModes(volume, claim)) return 'incompatible accessMode';
  return undefined;
}

/** The storage that a volume has. */
export function capacityOf({ spec }: Volume): Quantity {
  return storageIn(spec?.capacity);
}

/** The storage that a claim asks for. */
export function requestOf({ spec }: Claim): Quantity {
  return storageIn(spec?.resources?.requests);
}

export function hasSameMode(volume: Volume, claim: Claim): boolean {
  return (volume.spec?.volumeMode ?? DEFAULT_MODE) === (claim.spec?.volumeMode ?? DEFAULT_MODE);
}

export function hasSameAttributes(volume: Volume, claim: Claim): boolean {
  return (volume.spec?.volumeAttributesClassName ?? '') === (claim.spec?.volumeAttributesClassName ?? '');
}

/** Whether a volume supports all access modes that the claim asks for. */
export function hasAccessModes(volume: Volume, claim: Claim): boolean {
  const modes = accessModes(volume);
  return accessModes(claim).every((mode) => modes.includes(mode));
}

export function accessModes({ spec }: Volume | Claim): readonly string[] {
  return spec?.accessModes ?? [];
}

/** Whether the volume is reserved for a claim of this name, or bound to this very one. */
export function isReservedFor({ spec }: Volume, { metadata }: Claim): boolean {
  const { claimRef } = spec ?? {};
  if (claimRef?.name !== metadata?.name || claimRef?.namespace !== metadata?.namespace) return false;
  return (claimRef?.uid ?? '') === '' || claimRef?.uid === metadata?.uid;
}

/** The amount of storage among resources; zero if missing. */
export function storageIn(resources: Readonly<Record<string, string>> | undefined): Quantity {
  const parsed = parseQuantity(resources?.['storage'] ?? '0');
  return parsed instanceof ValueError ? quantityOf(0) : parsed;
}

/** The nodes that can reach a volume; undefined for all. Only checks labels. */
export function volumeNodes({ spec }: Volume): NodeTest | undefined {
  const { required } = spec?.nodeAffinity ?? {};
  if (required === undefined) return undefined;
  const test = anyTerm(required);
  return ({ metadata }) => test({ metadata: { labels: metadata?.labels ?? {} } });
}
