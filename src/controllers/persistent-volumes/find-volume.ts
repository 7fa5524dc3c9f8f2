import { matchLabelSelector, type Quantity, ValueError } from '../../api/values/index.ts';
import { index, keyOf, type Observed, PersistentVolume, type PersistentVolumeClaim } from '../../client/index.ts';
import type { Objects } from '../../kit/index.ts';
import { classNameOf } from './storage-class-of.ts';
import { accessModes, capacityOf, hasSameAttributes, hasSameMode, isReservedFor, requestOf } from './volume-fit.ts';

type Volume = Observed<PersistentVolume>;
type Claim = Observed<PersistentVolumeClaim>;

/** Volumes by the claim that they are reserved for or bound to, and those that nobody has by their class. */
const volumesByUse = index(PersistentVolume, (volume) => {
  const { claimRef } = volume.spec ?? {};
  return [
    claimRef === undefined
      ? `class ${classNameOf(volume)}`
      : `claim ${claimRef.namespace ?? ''}/${claimRef.name ?? ''}`,
  ];
});

/** The volumes that name a claim, by the key of the claim. */
export function volumesNaming(claimKey: string, volumes: Objects<PersistentVolume>): readonly Volume[] {
  return volumes.byIndex(volumesByUse, `claim ${claimKey}`);
}

/**
 * The volume to bind a claim to: one that is reserved for it, or else the smallest that will do. Of volumes that offer other
 * access modes those with the fewest come first. A claim that waits for its first pod gets none that is not reserved.
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
  const free = isDelayed ? [] : volumes.byIndex(volumesByUse, `class ${classNameOf(claim)}`);
  const available = free.filter(
    (volume) => volume.status?.phase === 'Available' && selector.matches(volume.metadata.labels ?? {}),
  );
  return first([...reserved, ...available].filter(mayFit).map((volume) => new Candidate(volume, claim)));
}

/** A volume with what it is compared by. */
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
