import {
  BIND_COMPLETED,
  BOUND_BY_CONTROLLER,
  isReservedFor,
  isTerminalPhase,
  misfit,
  namesStorageClass,
  SELECTED_NODE,
  storageClassNameOf,
} from '../../api/meaning/index.ts';
import { keyOf, type Observed, type PersistentVolumeClaim, type StorageClass } from '../../client/index.ts';
import { bind } from './bind.ts';
import type { BinderParts } from './binder-parts.ts';
import { hasAnnotation } from './binding-annotations.ts';
import { findVolume } from './find-volume.ts';
import { setLost, setPending } from './phases.ts';
import { podsByClaim } from './pods-by-claim.ts';
import { requestVolume } from './request-volume.ts';

const IS_DEFAULT = ['storageclass.kubernetes.io/is-default-class', 'storageclass.beta.kubernetes.io/is-default-class'];

type Claim = Observed<PersistentVolumeClaim>;

/** Syncs a claim. One that stays unbound is retried. */
export async function syncClaim(claim: Claim, parts: BinderParts): Promise<void> {
  if (hasAnnotation(claim, BIND_COMPLETED)) return await keepBound(claim, parts);
  parts.requestRetry();
  const { volumeName = '' } = claim.spec ?? {};
  if (volumeName === '') await findOrRequest(claim, parts);
  else await bindToNamed(claim, volumeName, parts);
}

async function keepBound(claim: Claim, parts: BinderParts): Promise<void> {
  const { volumeName = '' } = claim.spec ?? {};
  const lost = (message: string, reason = 'ClaimLost'): Promise<void> => setLost(claim, { reason, message }, parts);
  if (volumeName === '')
    return await lost('Bound claim has lost reference to PersistentVolume. Data on the volume is lost!');
  const volume = parts.volumes.get(volumeName);
  if (volume === undefined) return await lost('Bound claim has lost its PersistentVolume. Data on the volume is lost!');
  const { claimRef } = volume.spec ?? {};
  if (claimRef === undefined || claimRef.uid === claim.metadata.uid) return await bind(volume, claim, parts);
  return await lost('Two claims are bound to the same volume, this one is bound incorrectly', 'ClaimMisbound');
}

async function bindToNamed(claim: Claim, name: string, parts: BinderParts): Promise<void> {
  const volume = parts.volumes.get(name);
  if (volume === undefined) return await setPending(claim, parts);
  const quoted = JSON.stringify(name);
  if (volume.spec?.claimRef === undefined) {
    const problem = misfit(volume, claim);
    if (problem === undefined) return await bind(volume, claim, parts);
    const message = `Cannot bind to requested volume ${quoted}: ${problem}`;
    parts.events.event(claim, { type: 'Warning', reason: 'VolumeMismatch', message });
    return await setPending(claim, parts);
  }
  if (isReservedFor(volume, claim)) return await bind(volume, claim, parts);
  const message = `volume ${quoted} already bound to a different claim.`;
  parts.events.event(claim, { type: 'Warning', reason: 'FailedBinding', message });
  if (hasAnnotation(claim, BOUND_BY_CONTROLLER))
    throw new Error(`Cannot bind claim ${keyOf(claim)} to volume ${quoted}: it has another claim`);
  await setPending(claim, parts);
}

async function findOrRequest(claim: Claim, parts: BinderParts): Promise<void> {
  const { volumes, classes, events } = parts;
  const isDelayed = classes.get(storageClassNameOf(claim))?.volumeBindingMode === 'WaitForFirstConsumer';
  const volume = findVolume(claim, volumes, { isDelayed });
  if (volume !== undefined) return await bind(volume, claim, parts);
  if (await assignDefaultClass(claim, parts)) return;
  if (isDelayed && !hasAnnotation(claim, SELECTED_NODE)) {
    events.event(claim, { type: 'Normal', ...waitingFor(claim, parts) });
  } else if (storageClassNameOf(claim) === '') {
    const message = 'no persistent volumes available for this claim and no storage class is set';
    events.event(claim, { type: 'Normal', reason: 'FailedBinding', message });
  } else {
    if (parts.isProvisioningEnabled) await requestVolume(claim, parts);
    return;
  }
  await setPending(claim, parts);
}

/**
 * Assigns the default class to a claim without one, also if the default was created later; returns whether there is
 * one.
 */
async function assignDefaultClass(claim: Claim, { claims, classes, metrics }: BinderParts): Promise<boolean> {
  if (namesStorageClass(claim)) return false;
  const found = defaultClass(classes.list());
  if (found === undefined) return false;
  const spec = { ...claim.spec, storageClassName: found.metadata.name };
  metrics.defaulted.add();
  try {
    await claims.update({ ...claim, spec } as PersistentVolumeClaim);
  } catch (error) {
    metrics.defaultFailed.add();
    throw error;
  }
  return true;
}

function waitingFor(claim: Claim, { pods }: BinderParts): { readonly reason: string; readonly message: string } {
  const waiting = pods
    .byIndex(podsByClaim, keyOf(claim))
    .filter(({ spec, status }) => (spec?.nodeName ?? '') === '' && !isTerminalPhase(status?.phase))
    .map(({ metadata }) => metadata.name);
  if (waiting.length === 0)
    return {
      reason: 'WaitForFirstConsumer',
      message: 'waiting for first consumer to be created before binding',
    };
  const [noun, names] = [waiting.length > 1 ? 'pods' : 'pod', waiting.toSorted().join()];
  return { reason: 'WaitForPodScheduled', message: `waiting for ${noun} ${names} to be scheduled` };
}

/** The newest default class; among equally new ones the first by name. */
function defaultClass(classes: readonly Observed<StorageClass>[]): Observed<StorageClass> | undefined {
  return classes
    .filter(({ metadata }) => IS_DEFAULT.some((name) => metadata.annotations?.[name] === 'true'))
    .toSorted((left, right) => compare(ageKey(right), ageKey(left)) || compare(left.metadata.name, right.metadata.name))
    .at(0);
}

function ageKey({ metadata }: Observed<StorageClass>): string {
  return metadata.creationTimestamp ?? '';
}

function compare(left: string, right: string): number {
  return left < right ? -1 : Number(left > right);
}
