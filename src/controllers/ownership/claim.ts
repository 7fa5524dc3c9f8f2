import type { LabelMatcher } from '../../api/client.ts';
import {
  hasReason,
  type Kind,
  keyOf,
  type KubernetesObject,
  type Observed,
  strategicPatch,
} from '../../client/index.ts';
import type { Objects } from '../../kit/index.ts';
import { controllerReference } from '../../api/meaning/index.ts';
import { decideClaim } from './decide-claim.ts';

/** The owner and its candidates. */
export interface ClaimRequest<Owner extends KubernetesObject, T extends KubernetesObject> {
  readonly owner: Observed<Owner>;
  readonly ownerKind: Kind<Owner>;
  readonly owners: Objects<Owner>;
  readonly selector: LabelMatcher;
  readonly kind: Kind<T>;
  readonly objects: Objects<T>;
  /** A finalizer that is added on adoption and removed on release. */
  readonly finalizer?: string;
}

/**
 * Adopts candidates that match the owner's selector and have no controller, releases those that no longer match, and
 * returns the ones that now belong to the owner.
 *
 * Before the first adoption the owner is read from the API server: one that was deleted, or replaced by another with
 * its name, adopts nothing. When some claims fail, the others are still made, and the first error is thrown.
 */
export async function claim<Owner extends KubernetesObject, T extends KubernetesObject>(
  candidates: readonly Observed<T>[],
  request: ClaimRequest<Owner, T>,
): Promise<Observed<T>[]> {
  const { owner, selector } = request;
  const claimed: Observed<T>[] = [];
  const failures: unknown[] = [];
  let permission: Promise<void> | undefined;
  for (const candidate of candidates) {
    const decision = decideClaim(candidate, owner, selector);
    if (decision === 'keep') claimed.push(candidate);
    if (decision !== 'adopt' && decision !== 'release') continue;
    try {
      if (decision === 'release') {
        await release(candidate, request);
      } else {
        permission ??= checkOwner(request);
        const adopted = await adopt(candidate, request, permission);
        if (adopted !== undefined) claimed.push(adopted);
      }
    } catch (error) {
      failures.push(error);
    }
  }
  if (failures.length > 0) throw failures[0];
  return claimed;
}

async function adopt<Owner extends KubernetesObject, T extends KubernetesObject>(
  object: Observed<T>,
  { owner, ownerKind, kind, objects, finalizer }: ClaimRequest<Owner, T>,
  permission: Promise<void>,
): Promise<Observed<T> | undefined> {
  const key = keyOf(object);
  const { uid } = object.metadata;
  try {
    await permission;
  } catch (cause) {
    throw new Error(`can't adopt ${kind.kind} ${key} (${uid}): ${messageOf(cause)}`, { cause });
  }
  const ownerReferences = [controllerReference(owner, ownerKind)];
  const finalizers = finalizer === undefined ? {} : { finalizers: [finalizer] };
  try {
    return await objects.patch(key, strategicPatch({ metadata: { uid, ownerReferences, ...finalizers } }));
  } catch (error) {
    if (hasReason(error, 'NotFound')) return undefined;
    throw error;
  }
}

async function release<Owner extends KubernetesObject, T extends KubernetesObject>(
  object: Observed<T>,
  { owner, objects, finalizer }: ClaimRequest<Owner, T>,
): Promise<void> {
  const { uid } = object.metadata;
  const ownerReferences = [{ $patch: 'delete', uid: owner.metadata.uid }];
  const finalizers = finalizer === undefined ? {} : { '$deleteFromPrimitiveList/finalizers': [finalizer] };
  try {
    await objects.patch(keyOf(object), strategicPatch({ metadata: { uid, ownerReferences, ...finalizers } }));
  } catch (error) {
    // Gone, or a different object with that name: either way it no longer belongs to the owner.
    if (!hasReason(error, 'NotFound') && !hasReason(error, 'Invalid')) throw error;
  }
}

async function checkOwner<Owner extends KubernetesObject, T extends KubernetesObject>({
  owner,
  ownerKind,
  owners,
}: ClaimRequest<Owner, T>): Promise<void> {
  const key = keyOf(owner);
  const live = await owners.fetch(key);
  const refuse = (why: string): never => {
    throw new Error(`can't recheck DeletionTimestamp: ${why}`);
  };
  if (live === undefined) return refuse(`${ownerKind.kind} ${key} not found`);
  if (live.metadata.uid !== owner.metadata.uid)
    return refuse(
      `original ${ownerKind.kind} ${key} is gone: got uid ${live.metadata.uid}, wanted ${owner.metadata.uid}`,
    );
  if (live.metadata.deletionTimestamp !== undefined)
    throw new Error(`${key} has just been deleted at ${live.metadata.deletionTimestamp}`);
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
