import { type Quantity, quantityOf, parseQuantity, ValueError } from '../../api/values/index.ts';
import type { Observed, PersistentVolume, PersistentVolumeClaim } from '../../client/index.ts';
import { classNameOf } from './storage-class-of.ts';

type Volume = Observed<PersistentVolume>;
type Claim = Observed<PersistentVolumeClaim>;

const DEFAULT_MODE = 'Filesystem';

/** Why a volume that a claim names cannot be its; undefined if it can. */
export function misfit(volume: Volume, claim: Claim): string | undefined {
  const { name, deletionTimestamp } = volume.metadata;
  if (deletionTimestamp !== undefined) return `the volume is marked for deletion ${JSON.stringify(name)}`;
  if (capacityOf(volume).compare(requestOf(claim)) < 0) return 'requested PV is too small';
  if (classNameOf(volume) !== classNameOf(claim)) return 'storageClassName does not match';
  if (!hasSameAttributes(volume, claim)) return 'volumeAttributesClassName does not match';
  if (!hasSameMode(volume, claim)) return 'incompatible volumeMode';
  const modes = accessModes(volume);
  if (!accessModes(claim).every((mode) => modes.includes(mode))) return 'incompatible accessMode';
  return undefined;
}

export function capacityOf({ spec }: Volume): Quantity {
  return storage(spec?.capacity);
}

export function requestOf({ spec }: Claim): Quantity {
  return storage(spec?.resources?.requests);
}

export function hasSameMode(volume: Volume, claim: Claim): boolean {
  return (volume.spec?.volumeMode ?? DEFAULT_MODE) === (claim.spec?.volumeMode ?? DEFAULT_MODE);
}

export function hasSameAttributes(volume: Volume, claim: Claim): boolean {
  return (volume.spec?.volumeAttributesClassName ?? '') === (claim.spec?.volumeAttributesClassName ?? '');
}

export function accessModes({ spec }: Volume | Claim): readonly string[] {
  return spec?.accessModes ?? [];
}

/** Whether the volume is reserved for a claim of this name, or bound to this very one. */
export function isReservedFor({ spec }: Volume, { metadata }: Claim): boolean {
  const { claimRef } = spec ?? {};
  if (claimRef?.name !== metadata.name || claimRef.namespace !== metadata.namespace) return false;
  return (claimRef.uid ?? '') === '' || claimRef.uid === metadata.uid;
}

function storage(resources: Readonly<Record<string, string>> | undefined): Quantity {
  const parsed = parseQuantity(resources?.['storage'] ?? '0');
  return parsed instanceof ValueError ? quantityOf(0) : parsed;
}
