import {
  type FieldError,
  type ApiObject,
  checkIsNewest,
  conflict,
  failedPrecondition,
  invalid,
  invalidValue,
  isReleased,
  keepSystemFields,
  keepTimes,
  notFound,
  OBJECT_MODIFIED,
  parseObjectResourceVersion,
  type Preconditions,
  StatusError,
  ValueError,
  withMeta,
  withoutDuplicateOwners,
} from '../../api/index.ts';
import { deepEqual, withPauses } from '../../base/index.ts';
import type { RequestAdmission } from '../admission/request-admission.ts';
import { type Endpoint, groupKind, groupResource, pausing } from '../endpoint.ts';
import type { Strategy, WriteContext } from '../resource.ts';
import { asIfStored, convertForReading } from '../storage/conversion.ts';
import { isConflicting, type PutConflict } from '../storage/put-conflict.ts';
import type { StoredObject } from '../storage/stored-object.ts';
import { changedObjectProblems, validateChangedObject } from '../validation/validate-object.ts';
import { LARGE_BYTES } from '../request/large-body.ts';
import { asStep } from '../trace/as-step.ts';
import { putObject } from './put-object.ts';

export interface Modification {
  readonly key: string;
  readonly name: string;
  /** Absent for the server's own changes, such as binding a pod, which are admitted together with their cause. */
  readonly admission?: RequestAdmission;
  /** What validating admission sees in place of the object, such as a Scale; `change` has run mutating admission on it. */
  readonly seenAs?: (object: ApiObject) => ApiObject;
  readonly context: WriteContext;
  /** The rules of the resource, or of the written subresource. */
  readonly strategy: Strategy;
  readonly preconditions?: Preconditions;
  /** Whether the write fails rather than lose managedFields, see `putObject`. */
  readonly keepsManagedFields?: boolean;
  /**
   * Returns the changed object, a new one; called again after a conflict. Gets a frozen object. `pause` is the context's, and also set when
   * only the stored object is large.
   */
  change(current: ApiObject, pause: WriteContext['pause']): ApiObject | Promise<ApiObject>;
}

/** Each conflict means that another client's write succeeded; this many in a row mean that something is wrong. */
const MAX_LOST_RACES = 1000;

/**
 * Changes one stored object: reads, changes, checks, and writes it if it has not changed since; else starts over. If the client named the
 * version that it changed, a lost race is a conflict.
 */
export async function modifyObject(endpoint: Endpoint, modification: Modification): Promise<StoredObject | ApiObject> {
  const { resource, objects } = endpoint;
  for (let attempt = 0; ; attempt++) {
    const stored = await objects.get(modification.key);
    if (stored === undefined) throw notFound(groupResource(resource), modification.name);
    checkPreconditions(stored, endpoint, modification);
    const converting = convertForReading([stored], resource, modification.context);
    if (converting !== undefined) await converting;
    const old = stored.as(resource);
    const paced = inTurns(modification, stored, endpoint);
    const { pause } = paced.context;
    const object = await changed(old, paced);
    checkResourceVersion(object, old, endpoint, modification);
    if (pause !== undefined) await pause();
    await prepareAndCheck(object, old, endpoint, paced);
    if (pause !== undefined) await pause();
    const written = await write(object, stored, endpoint, paced);
    if (written === 'again') continue;
    if (written !== 'lost') return written;
    if (attempt >= MAX_LOST_RACES) throw conflict(groupResource(resource), modification.name, OBJECT_MODIFIED);
  }
}

const KEY_ROOT = '/registry';

/** A small change of a large object takes as long as a large one, so it pauses as well. */
function inTurns(modification: Modification, stored: StoredObject, { services }: Endpoint): Modification {
  const { context } = modification;
  if (context.pause !== undefined || stored.bytes <= LARGE_BYTES) return modification;
  return { ...modification, context: pausing(context, () => services.turns.take(true)) };
}

function checkPreconditions(
  { key, object }: StoredObject,
  endpoint: Endpoint,
  { preconditions, name, context }: Modification,
): void {
  const failed = failedPrecondition(preconditions, object);
  if (failed === undefined) return;
  const shown = context.dryRun ? key.slice(KEY_ROOT.length) : key; // upstream's dry run does not reach the storage that adds the root
  const why = `StorageError: invalid object, Code: 4, Key: ${shown}, ResourceVersion: 0, AdditionalErrorMsg: ${failed}`;
  throw conflict(groupResource(endpoint.resource), name, why);
}

/** The version that the client changed must be the newest. Without one, the newest is changed, if the kind permits that. */
function checkResourceVersion(
  object: ApiObject,
  old: ApiObject,
  endpoint: Endpoint,
  { name, strategy }: Modification,
): void {
  const sent = object.metadata.resourceVersion ?? '';
  if (sent === '' || sent === '0') {
    if (strategy.requiresResourceVersion === true) {
      const error = invalidValue('metadata.resourceVersion', 0, 'must be specified for an update');
      throw invalid(groupResource(endpoint.resource), name, [error]);
    }
    object.metadata = withMeta(object.metadata, { resourceVersion: old.metadata.resourceVersion });
    return;
  }
  const parsed = parseObjectResourceVersion(sent);
  if (parsed instanceof ValueError) throw new StatusError({ code: 500, message: parsed.message });
  checkIsNewest(object, old, groupResource(endpoint.resource));
}

/** The changed object after mutation: a new one, which the next steps may change. */
async function changed(old: ApiObject, { change, admission, seenAs, context }: Modification): Promise<ApiObject> {
  if (context.pause !== undefined) await context.pause();
  const object = { ...(await change(old, context.pause)) };
  if (admission === undefined || seenAs !== undefined) return object;
  const mutating = admission.mutateUpdate(object, old);
  const mutated = mutating instanceof Promise ? await mutating : mutating;
  const single = withoutDuplicateOwners(mutated, { seen: 'admitted', warn: (message) => context.warn(message) });
  return single === object ? object : { ...single };
}

async function prepareAndCheck(
  object: ApiObject,
  old: ApiObject,
  endpoint: Endpoint,
  modification: Modification,
): Promise<void> {
  const { resource } = endpoint;
  const { context, strategy, admission, seenAs = itself } = modification;
  object.metadata = withMeta(object.metadata, { generation: old.metadata.generation });
  const preparing = strategy.prepareForUpdate?.(object, old, context);
  if (preparing !== undefined) await preparing;
  const { pause } = context;
  if (pause !== undefined) await pause();
  keepSystemFields(object, old);
  const rules = { resource, strategy, context };
  const report = (errors: readonly FieldError[]): void => {
    if (errors.length > 0) throw invalid(groupKind(resource), modification.name, errors);
  };
  const checking = asStep(context.trace, 'validation', () =>
    pause === undefined
      ? report(changedObjectProblems(object, old, rules))
      : withPauses(validateChangedObject(object, old, rules), pause).then(report),
  );
  if (checking !== undefined) await checking;
  for (const warning of strategy.warnings?.(object, old) ?? []) context.warn(warning);
  const validating = admission?.validateUpdate(seenAs(object), seenAs(old));
  if (validating !== undefined) await validating;
  strategy.complete?.(object);
}

function itself(object: ApiObject): ApiObject {
  return object;
}

async function write(
  object: ApiObject,
  stored: StoredObject,
  endpoint: Endpoint,
  modification: Modification,
): Promise<StoredObject | ApiObject | 'lost' | 'again'> {
  const { resource, objects } = endpoint;
  const { context, strategy } = modification;
  const old = stored.as(resource);
  if (mayDisappear(object, old, strategy)) {
    if (context.dryRun) return object;
    const removed = await objects.remove(stored, await strategy.alongside?.({ type: 'delete', old: object }, context));
    return isConflicting(removed) ? lostTo(removed) : object;
  }
  const managedFields = keepTimes(object, old);
  if (managedFields !== object.metadata.managedFields) object.metadata = withMeta(object.metadata, { managedFields });
  if (deepEqual(object, old) && stored.isStoredInVersionOf(resource) && !stored.isStale) return stored;
  if (context.dryRun) return await asIfStored(object, resource, context);
  const { resourceVersion: _, ...metadata } = object.metadata;
  const ttlSeconds = strategy.ttlSeconds?.(object);
  const beside = strategy.alongside?.({ type: 'update', object, old }, context);
  const alongside = beside === undefined ? undefined : await beside;
  const options = {
    expected: stored,
    ttlSeconds,
    alongside,
    keepsManagedFields: modification.keepsManagedFields === true,
    writer: context,
    pause: context.pause,
  };
  if (context.pause !== undefined) await context.pause();
  const result = await asStep(context.trace, 'store', () =>
    putObject(stored.key, { ...object, metadata }, { endpoint, options }),
  );
  return isConflicting(result) ? lostTo(result) : result;
}

/** Losing only a condition of the additional operations is not a conflict: the change is prepared again. */
function lostTo({ conflictsWith }: PutConflict): 'lost' | 'again' {
  return conflictsWith === 'alongside' ? 'again' : 'lost';
}

/** Whether the last finalizer of a deleted object was removed, so that the object is removed. */
function mayDisappear(object: ApiObject, old: ApiObject, strategy: Strategy): boolean {
  return isReleased(object, old) && (strategy.mayDisappear?.(object) ?? true);
}

/** The object with its managedFields after a plain write over `live`: the writer manages the fields that it changed. */
export async function withManager(
  object: ApiObject,
  live: ApiObject,
  { endpoint, context }: { readonly endpoint: Endpoint; readonly context: WriteContext },
): Promise<ApiObject> {
  const { resource, services } = endpoint;
  if (context.pause !== undefined) await context.pause();
  const owned = services.ownership.afterWrite(object, live, { resource, context });
  const managedFields = owned instanceof Promise ? await owned : owned;
  if (object.metadata.managedFields === managedFields) return object;
  return { ...object, metadata: withMeta(object.metadata, { managedFields }) };
}
