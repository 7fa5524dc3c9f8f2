import {
  accessModes,
  capacityOf,
  hasSameAttributes,
  hasSameMode,
  isReservedFor,
  requestOf,
  storageClassNameOf,
} from '../../api/meaning/index.ts';
import { matchLabelSelector, type Quantity, ValueError } from '../../api/values/index.ts';
import { index, keyOf, type Observed, PersistentVolume, type PersistentVolumeClaim } from '../../client/index.ts';
import type { Objects } from '../../kit/index.ts';

type Volume = Observed<PersistentVolume>;
type Claim = Observed<PersistentVolumeClaim>;

/** Volumes by the claim that they are bound to, and free ones by their class. */
const volumesByUse = index(PersistentVolume, (volume) => {
  const { claimRef } = volume.spec ?? {};
  return [
    claimRef === undefined
      ? `class ${storageClassNameOf(volume)}`
      : `claim ${claimRef.namespace ?? ''}/${claimRef.name ?? ''}`,
  ];
});

/** The volumes whose claimRef names the claim. */
export function volumesNaming(claimKey: string, volumes: Objects<PersistentVolume>): readonly Volume[] {
  return volumes.byIndex(volumesByUse, `claim ${claimKey}`);
}

/**
 * The volume to bind to a claim: a pre-bound one, otherwise the smallest that fits. Among volumes that offer more
 * access modes than requested, those with the fewest come first. A claim with delayed binding only gets a pre-bound
 * one.
 */
export function findVolume(
  claim: Claim,
  volumes: Objects<PersistentVolume>,
  { isDelayed }: { readonly isDelayed: boolean },
): Volume | undefined {
  const request = requestOf(claim);
  const selector = matchLabelSelector(claim.spec?.selector ?? {});
  if (selector instanceof ValueError) throw new Error(`Cannot read the selector of claim ${keyOf(claim)}: ${selector}`);
  const mayFit = (volume: Volume): boolean =>
    volume.metadata.deletionTimestamp === undefined &&
    accessModes(claim).every((mode) => accessModes(volume).includes(mode)) &&
    capacityOf(volume).compare(request) >= 0 &&
    hasSameMode(volume, claim) &&
    hasSameAttributes(volume, claim);
  const reserved = volumesNaming(keyOf(claim), volumes).filter((volume) => isReservedFor(volume, claim));
  const free = isDelayed ? [] : volumes.byIndex(volumesByUse, `class ${storageClassNameOf(claim)}`);
  const available = free.filter(
    (volume) => volume.status?.phase === 'Available' && selector.matches(volume.metadata.labels ?? {}),
  );
  return first([...reserved, ...available].filter(mayFit).map((volume) => new Candidate(volume, claim)));
}

/** A volume with its sort keys. */
class Candidate {
  readonly volume: Volume;
  readonly #modes: number;
  readonly #isReserved: boolean;
  readonly #capacity: Quantity;

  constructor(volume: Volume, claim: Claim) {
    this.volume = volume;
    this.#modes = new Set(accessModes(volume)).size;
    this.#isReserved = isReservedFor(volume, claim);
    this.#capacity = capacityOf(volume);
  }

  isBefore(other: Candidate): boolean {
    if (this.#modes !== other.#modes) return this.#modes < other.#modes;
    if (this.#isReserved !== other.#isReserved) return this.#isReserved;
    const larger = this.#capacity.compare(other.#capacity);
    return larger === 0 ? this.volume.metadata.name < other.volume.metadata.name : larger < 0;
  }
}

function first(candidates: readonly Candidate[]): Volume | undefined {
  let best: Candidate | undefined;
  for (const candidate of candidates) if (best === undefined || candidate.isBefore(best)) best = candidate;
  return best?.volume;
}
