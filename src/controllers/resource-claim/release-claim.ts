import { CLAIM_FINALIZER, controllerOf, isAssigned, isFinished } from '../../api/meaning/index.ts';
import type { Observed, Pod, ResourceClaim, Sendable } from '../../client/index.ts';
import type { Objects } from '../../kit/index.ts';

type Consumer = NonNullable<NonNullable<Observed<ResourceClaim>['status']>['reservedFor']>[number];

interface ClaimsAndPods {
  readonly claims: Objects<ResourceClaim>;
  readonly pods: Objects<Pod>;
}

/** Whether it is certain that no container of the pod runs, or ever will. */
export function isPodDone(pod: Observed<Pod>): boolean {
  return isFinished(pod) || (pod.metadata.deletionTimestamp !== undefined && !isAssigned(pod));
}

/** Takes the claim back from pods that are over, its devices when nobody is left, and deletes what was made for such a pod. */
export async function releaseClaim(key: string, parts: ClaimsAndPods): Promise<void> {
  const claim = parts.claims.get(key);
  if (claim === undefined) return;
  const consumers = claim.status?.reservedFor ?? [];
  const remaining: Consumer[] = [];
  for (const consumer of consumers) if (await isInUse(claim, consumer, parts)) remaining.push(consumer);
  if (remaining.length < consumers.length) await shorten(claim, remaining, parts);
  else if (remaining.length === 0 && claim.metadata.deletionTimestamp !== undefined) await letGo(claim, parts);
  if (remaining.length === 0) await deleteIfUnneeded(claim, parts);
}

/** A consumer that is not a pod stays: nobody here knows about it. */
async function isInUse(claim: Observed<ResourceClaim>, consumer: Consumer, { pods }: ClaimsAndPods): Promise<boolean> {
  if ((consumer.apiGroup ?? '') !== '' || consumer.resource !== 'pods') return true;
  const key = `${claim.metadata.namespace}/${consumer.name}`;
  const known = pods.get(key);
  if (known !== undefined) return known.metadata.uid === consumer.uid && !isPodDone(known);
  // the cache may be behind, and the scheduler about to start the pod
  const pod = await pods.fetch(key);
  return pod?.metadata.uid === consumer.uid;
}

/** A conflict fails it on purpose: whoever was faster may have reserved the claim anew. */
async function shorten(claim: Observed<ResourceClaim>, remaining: Consumer[], parts: ClaimsAndPods): Promise<void> {
  const { allocation, ...rest } = claim.status ?? {};
  const isFree = remaining.length === 0 && hasFinalizer(claim);
  const status = { ...rest, ...(isFree ? {} : { allocation }), reservedFor: remaining };
  const written = await parts.claims.updateStatus({ ...claim, status } as Sendable<ResourceClaim>);
  if (written.status?.allocation === undefined) await removeFinalizer(written, parts);
}

/** Somebody wants the claim deleted, and nobody uses it. */
async function letGo(claim: Observed<ResourceClaim>, parts: ClaimsAndPods): Promise<void> {
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

/** A claim that was made for a pod goes when the pod is over, even if the pod itself is kept. */
async function deleteIfUnneeded(claim: Observed<ResourceClaim>, { claims, pods }: ClaimsAndPods): Promise<void> {
  const owner = controllerOf(claim);
  if (owner?.apiVersion !== 'v1' || owner.kind !== 'Pod') return;
  const pod = pods.get(`${claim.metadata.namespace}/${owner.name}`);
  if (pod === undefined) return; // the garbage collector knows whether the pod is gone, or not seen yet
  if (pod.metadata.uid !== owner.uid || isPodDone(pod))
    await claims.delete(`${claim.metadata.namespace}/${claim.metadata.name}`);
}
