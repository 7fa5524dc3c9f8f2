import {
  BIND_COMPLETED,
  claimVolumesOf,
  ephemeralClaimProblem,
  storageClassNameOf,
} from '../../../api/meaning/index.ts';
import {
  CSIDriver,
  CSIStorageCapacity,
  index,
  type Observed,
  PersistentVolume,
  PersistentVolumeClaim,
  type Pod,
  StorageClass,
} from '../../../client/index.ts';
import type { Lister, PluginContext } from '../../framework/plugin-context.ts';
import { AssumedObjects } from './assumed-objects.ts';

export type Claim = Observed<PersistentVolumeClaim>;

const volumesByClass = index(PersistentVolume, (volume) => [storageClassNameOf(volume)]);
const capacitiesByClass = index(CSIStorageCapacity, ({ storageClassName }) => [storageClassName]);

/** Looks up claims, volumes and storage capacity. */
export class VolumeLookup {
  readonly claims: AssumedObjects<PersistentVolumeClaim>;
  readonly volumes: AssumedObjects<PersistentVolume>;
  readonly classes: Lister<StorageClass>;
  readonly drivers: Lister<CSIDriver>;
  readonly #capacities: Lister<CSIStorageCapacity>;

  constructor({ objects }: Pick<PluginContext, 'objects'>) {
    this.claims = new AssumedObjects(objects(PersistentVolumeClaim));
    this.volumes = new AssumedObjects(objects(PersistentVolume));
    this.classes = objects(StorageClass);
    this.drivers = objects(CSIDriver);
    this.#capacities = objects(CSIStorageCapacity);
  }

  volumesOfClass(name: string): Observed<PersistentVolume>[] {
    return this.volumes.byIndex(volumesByClass, name);
  }

  capacitiesOfClass(name: string): Observed<CSIStorageCapacity>[] {
    return this.#capacities.byIndex(capacitiesByClass, name);
  }
}

/** The pod's claims by binding state. */
export interface PodClaims {
  readonly bound: readonly Claim[];
  /** Unbound; the scheduler chooses the node (WaitForFirstConsumer). */
  readonly delayed: readonly Claim[];
  /** Unbound, with immediate binding: the scheduler can only wait. */
  readonly immediate: readonly Claim[];
}

/** The pod's claims; a string says why one of them makes the pod unschedulable. */
export function podClaims(pod: Observed<Pod>, lookup: VolumeLookup): PodClaims | string {
  const found: Record<keyof PodClaims, Claim[]> = { bound: [], delayed: [], immediate: [] };
  for (const { claim: name, isEphemeral } of claimVolumesOf(pod)) {
    const claim = lookup.claims.get(`${pod.metadata.namespace}/${name}`);
    if (claim === undefined) return missing(name, isEphemeral);
    const problem = problemOf(claim) ?? (isEphemeral ? ephemeralClaimProblem(claim, pod) : undefined);
    if (problem !== undefined) return problem;
    if (isFullyBound(claim)) found.bound.push(claim);
    else if (isDelayed(claim, lookup)) found.delayed.push(claim);
    else found.immediate.push(claim);
  }
  return found;
}

/** Whether the claim is bound and annotated as completely bound. */
export function isFullyBound({ metadata, spec }: Claim): boolean {
  return (spec?.volumeName ?? '') !== '' && metadata.annotations?.[BIND_COMPLETED] !== undefined;
}

function missing(name: string, isEphemeral: boolean): string {
  return isEphemeral
    ? `waiting for ephemeral volume controller to create the persistentvolumeclaim "${name}"`
    : `persistentvolumeclaim "${name}" not found`;
}

function problemOf({ metadata, spec, status }: Claim): string | undefined {
  const { name, deletionTimestamp } = metadata;
  if (status?.phase === 'Lost')
    return `persistentvolumeclaim "${name}" bound to non-existent persistentvolume "${spec?.volumeName ?? ''}"`;
  return deletionTimestamp === undefined ? undefined : `persistentvolumeclaim "${name}" is being deleted`;
}

function isDelayed(claim: Claim, { classes }: VolumeLookup): boolean {
  if ((claim.spec?.volumeName ?? '') !== '') return false;
  return classes.get(storageClassNameOf(claim))?.volumeBindingMode === 'WaitForFirstConsumer';
}
