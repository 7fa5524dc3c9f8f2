import { CLAIM_FINALIZER, controllerOf, isAssigned, isFinished } from '../../api/meaning/index.ts';
import type { Observed, Pod, ResourceClaim, Sendable } from '../../client/index.ts';
import type { Objects } from '../../kit/index.ts';

type Consumer = NonNullable<NonNullable<Observed<ResourceClaim>['status']>['reservedFor']>[number];

interface ClaimsAndPods {
  readonly claims: Objects<ResourceClaim>;
  readonly pods: Objects<Pod>;
}

/** Whether no container of the pod runs or ever will. */
export function isPodDone(pod: Observed<Pod>): boolean {
  return isFinished(pod) || (pod.metadata.deletionTimestamp !== undefined && !isAssigned(pod));
}

/**
 * Removes finished pods from reservedFor, deallocates the claim when it is unused, and deletes it if it was generated
 * for such a pod.
 */
export async function releaseClaim(key: string, parts: ClaimsAndPods): Promise<void> {
  const claim = parts.claims.get(key);
  if (claim === undefined) return;
  const consumers = claim.status?.reservedFor ?? [];
  const remaining: Consumer[] = [];
  for (const consumer of consumers) if (await isInUse(claim, consumer, parts)) remaining.push(consumer);
  if (remaining.length < consumers.length) await shorten(claim, remaining, parts);
  else if (remaining.length === 0 && claim.metadata.deletionTimestamp !== undefined) await release(claim, parts);
  if (remaining.length === 0) await deleteIfUnneeded(claim, parts);
}

/** A consumer that is not a pod stays: this controller cannot check it. */
async function isInUse(claim: Observed<ResourceClaim>, consumer: Consumer, { pods }: ClaimsAndPods): Promise<boolean> {
  if ((consumer.apiGroup ?? '') !== '' || consumer.resource !== 'pods') return true;
  const key = `${claim.metadata.namespace}/${consumer.name}`;
  const known = pods.get(key);
  if (known !== undefined) return known.metadata.uid === consumer.uid && !isPodDone(known);
  // the cache may be stale, and the scheduler may be about to start the pod
  const pod = await pods.fetch(key);
  return pod?.metadata.uid === consumer.uid;
}

/** Fails on a conflict on purpose: another client may just have reserved the claim again. */
async function shorten(claim: Observed<ResourceClaim>, remaining: Consumer[], parts: ClaimsAndPods): Promise<void> {
  const { allocation, ...rest } = claim.status ?? {};
  const isFree = remaining.length === 0 && hasFinalizer(claim);
  const status = { ...rest, ...(isFree ? {} : { allocation }), reservedFor: remaining };
  const written = await parts.claims.updateStatus({ ...claim, status } as Sendable<ResourceClaim>);
  if (written.status?.allocation === undefined) await removeFinalizer(written, parts);
}

/** Deallocates a claim with a deletionTimestamp that is not in use. */
async function release(claim: Observed<ResourceClaim>, parts: ClaimsAndPods): Promise<void> {
  if (!hasFinalizer(claim)) return;
  let current = claim;
  if (claim.status?.allocation !== undefined) {
    const { allocation: _, ...status } = claim.status;
    current = await parts.claims.updateStatus({ ...claim, status } as Sendable<ResourceClaim>);
  }
  await removeFinalizer(current, parts);
}

function hasFinalizer({ metadata }: Observed<ResourceClaim>): boolean {
  return metadata.finalizers?.includes(CLAIM_FINALIZER) ?? false;
}

async function removeFinalizer(claim: Observed<ResourceClaim>, { claims }: ClaimsAndPods): Promise<void> {
  if (!hasFinalizer(claim)) return;
  const finalizers = claim.metadata.finalizers?.filter((finalizer) => finalizer !== CLAIM_FINALIZER);
  await claims.update({ ...claim, metadata: { ...claim.metadata, finalizers } } as Sendable<ResourceClaim>);
}

/** Deletes a generated claim when its pod has finished, even if the pod is kept. */
async function deleteIfUnneeded(claim: Observed<ResourceClaim>, { claims, pods }: ClaimsAndPods): Promise<void> {
  const owner = controllerOf(claim);
  if (owner?.apiVersion !== 'v1' || owner.kind !== 'Pod') return;
  const pod = pods.get(`${claim.metadata.namespace}/${owner.name}`);
  if (pod === undefined) return; // the garbage collector decides whether the pod is gone or not observed yet
  if (pod.metadata.uid !== owner.uid || isPodDone(pod))
    await claims.delete(`${claim.metadata.namespace}/${claim.metadata.name}`);
}
