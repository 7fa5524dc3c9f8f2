import type { ApiObject } from '../object.ts';
import { conflict } from '../status.ts';
import { type GroupResource, millisOfGoSeconds } from '../values/index.ts';
import { withMeta } from '../with-meta.ts';
import type { DeleteOptions } from './delete-options.ts';
import { millisOfTimestamp, timestamp } from './timestamps.ts';

/** A kind's rules for its deletion. */
export interface DeletionStrategy {
  /** The grace period, or undefined for none; `requested` is the client's. */
  readonly gracePeriod?: (object: ApiObject, requested: number | undefined) => number | undefined;
  /** What happens to dependents if the client does not say. */
  readonly defaultPropagation?: 'background' | 'orphan' | 'unsupported';
}

/** The effect of a delete request on the current object. */
export type Deletion =
  | { readonly type: 'remove' }
  /** The object is marked, and removed when its grace period is over and its finalizers are gone. */
  | { readonly type: 'mark'; readonly object: ApiObject; readonly thenRemove: boolean }
  /** It is already being deleted, and this request changes nothing. */
  | { readonly type: 'pending' };

const ORPHAN = 'orphan';
const FOREGROUND = 'foregroundDeletion';

/** Decides between removing, marking and waiting, by grace period, finalizers and propagation policy. */
export function decideDeletion(
  object: ApiObject,
  strategy: DeletionStrategy,
  { options, now }: DeletionRequest,
): Deletion {
  const graceful = applyGracePeriod(object, strategy, { options, now });
  if (graceful === 'pending') return { type: 'pending' };
  const current = graceful === 'none' ? object : graceful;
  const finalizers = collectorFinalizers(current, strategy, options);
  const marked = sameSet(finalizers, current.metadata.finalizers ?? []) ? current : withFinalizers(current, finalizers);
  const isHeld = finalizers.length > 0;
  if (graceful === 'none') {
    if (!isHeld) return { type: 'remove' };
    const isPending = marked === object && isMarked(object, now);
    return isPending ? { type: 'pending' } : { type: 'mark', object: markNow(marked, now), thenRemove: false };
  }
  const grace = marked.metadata.deletionGracePeriodSeconds ?? 0;
  return { type: 'mark', object: marked, thenRemove: !isHeld && grace === 0 };
}

export interface DeletionRequest {
  readonly options: DeleteOptions;
  readonly now: number;
}

/** The object with its grace period started or shortened; 'none' if the kind has none or it is over. */
function applyGracePeriod(
  object: ApiObject,
  strategy: DeletionStrategy,
  { options, now }: DeletionRequest,
): ApiObject | 'pending' | 'none' {
  if (strategy.gracePeriod === undefined) return 'none';
  const { metadata } = object;
  const requested = atLeastOne(options.gracePeriodSeconds);
  if (metadata.deletionTimestamp !== undefined) {
    const granted = atLeastOne(metadata.deletionGracePeriodSeconds) ?? 0;
    if (granted === 0) return 'none';
    if (requested === undefined || requested >= granted) return 'pending';
    return shorten(object, { from: granted, to: requested, now });
  }
  const grace = strategy.gracePeriod(object, requested);
  if (grace === undefined) return 'none';
  return withDeletion(object, { at: now + millisOfGoSeconds(grace), grace, bumpsGeneration: true });
}

/** Negative periods count as one second. */
function atLeastOne(seconds: number | undefined): number | undefined {
  return seconds !== undefined && seconds < 0 ? 1 : seconds;
}

function shorten(
  object: ApiObject,
  period: { readonly from: number; readonly to: number; readonly now: number },
): ApiObject {
  const was = millisOfTimestamp(object.metadata.deletionTimestamp ?? '');
  const at = was - millisOfGoSeconds(period.from) + millisOfGoSeconds(period.to);
  if (at >= period.now) return withDeletion(object, { at, grace: period.to, bumpsGeneration: false });
  // The shorter period is already over; unless it is zero, the node that ends the pod still gets a second.
  return withDeletion(object, { at: period.now, grace: period.to === 0 ? 0 : 1, bumpsGeneration: false });
}

/** Whether marking the object once more would change nothing. */
function isMarked({ metadata }: ApiObject, now: number): boolean {
  const { deletionTimestamp, deletionGracePeriodSeconds } = metadata;
  if (deletionTimestamp === undefined || deletionGracePeriodSeconds !== 0) return false;
  return millisOfTimestamp(deletionTimestamp) <= now;
}

/** Marks an object without a grace period that finalizers hold. */
function markNow(object: ApiObject, now: number): ApiObject {
  const { deletionTimestamp } = object.metadata;
  const isMarked = deletionTimestamp !== undefined;
  const at = isMarked ? Math.min(millisOfTimestamp(deletionTimestamp), now) : now;
  return withDeletion(object, { at, grace: 0, bumpsGeneration: !isMarked });
}

function withDeletion(
  object: ApiObject,
  mark: { readonly at: number; readonly grace: number; readonly bumpsGeneration: boolean },
): ApiObject {
  const generation = object.metadata.generation ?? 0;
  return {
    ...object,
    metadata: withMeta(object.metadata, {
      deletionTimestamp: timestamp(mark.at),
      deletionGracePeriodSeconds: mark.grace,
      ...(mark.bumpsGeneration && generation > 0 ? { generation: generation + 1 } : {}),
    }),
  };
}

function withFinalizers(object: ApiObject, finalizers: readonly string[]): ApiObject {
  return {
    ...object,
    metadata: withMeta(object.metadata, { finalizers: finalizers.length === 0 ? undefined : [...finalizers] }),
  };
}

/** The finalizers after setting the garbage collector's two for the propagation policy. */
function collectorFinalizers(object: ApiObject, strategy: DeletionStrategy, options: DeleteOptions): readonly string[] {
  const current = object.metadata.finalizers ?? [];
  if (strategy.defaultPropagation === 'unsupported')
    return current.filter((name) => name !== ORPHAN && name !== FOREGROUND);
  const kept = current.filter((name) => name !== ORPHAN && name !== FOREGROUND);
  switch (policyFor(current, strategy, options)) {
    case 'Orphan':
      return [...kept, ORPHAN];
    case 'Foreground':
      return [...kept, FOREGROUND];
    default:
      return kept;
  }
}

/** The requested policy, else the one in the finalizers, else the kind's default. */
function policyFor(finalizers: readonly string[], strategy: DeletionStrategy, options: DeleteOptions): string {
  if (options.orphanDependents !== undefined) return options.orphanDependents ? 'Orphan' : 'Background';
  if (options.propagationPolicy !== undefined) return options.propagationPolicy;
  if (finalizers.includes(ORPHAN)) return 'Orphan';
  if (finalizers.includes(FOREGROUND)) return 'Foreground';
  return strategy.defaultPropagation === 'orphan' ? 'Orphan' : 'Background';
}

function sameSet(left: readonly string[], right: readonly string[]): boolean {
  return left.length === right.length && left.every((name) => right.includes(name));
}

/** Refuses if the client expected another object or another version of it; `subject` names the kind in the message. */
export function checkDeletePreconditions(object: ApiObject, options: DeleteOptions, subject: GroupResource): void {
  const { uid, resourceVersion } = options.preconditions ?? {};
  const { metadata } = object;
  if (uid !== undefined && uid !== metadata.uid) {
    throw conflict(
      subject,
      metadata.name ?? '',
      `the UID in the precondition (${uid}) does not match the UID in record (${metadata.uid ?? ''}). ` +
        'The object might have been deleted and then recreated',
    );
  }
  if (resourceVersion !== undefined && resourceVersion !== metadata.resourceVersion) {
    throw conflict(
      subject,
      metadata.name ?? '',
      `the ResourceVersion in the precondition (${resourceVersion}) does not match the ResourceVersion in record ` +
        `(${metadata.resourceVersion ?? ''}). The object might have been modified`,
    );
  }
}
