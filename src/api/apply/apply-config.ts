import { deepEqual } from '../../base/index.ts';
import type { PlainObject } from '../json/index.ts';
import { isPlainObject } from '../json/plain-object.ts';
import type { ApiObject } from '../object.ts';
import { badRequest, StatusError } from '../status.ts';
import { checkTyped } from './check-typed.ts';
import { applyConflict, type Conflicts, conflictsBeyond } from './conflicts.ts';
import type { Converting } from './conversion.ts';
import { decodeManagedFields } from './decode-managed-fields.ts';
import { encodeManagedFields } from './encode-managed-fields.ts';
import { EMPTY_SET, type FieldSet } from './field-set.ts';
import { KUBECTL, setOfLastApplied, withLastApplied } from './last-applied.ts';
import { mergeObjects } from './merge-objects.ts';
import { withoutNeverOwned } from './never-owned.ts';
import { checkKind, objectLabel } from './object-label.ts';
import { apiVersionOf, type OwnedKind } from './owned-kind.ts';
import { type ManagedFieldsEntry, type FieldManager, managerId, type FieldManagers } from './field-managers.ts';
import { FieldsError } from './parse-element.ts';
import { takeChanges, UNKNOWN_MANAGER, type Writer } from './plain-write.ts';
import { pruneObject } from './prune-object.ts';
import { setOf } from './set-of.ts';
import { reconcileManagers, settleManagers } from './settle-managers.ts';
import { TypedError } from './typed-error.ts';
import { type TypedObject, typedObject, VersionedChange } from './versions.ts';

export interface ApplyOptions {
  readonly kind: OwnedKind;
  readonly writer: Writer;
  /** Take what belongs to others. */
  readonly force: boolean;
  /** An object of the type with nothing in it. */
  readonly blank: ApiObject;
}

export interface Applied {
  /** The object with the configuration merged in, not decoded and without defaults; the live one if nothing is different. */
  readonly object: PlainObject;
  readonly managedFields: ManagedFieldsEntry[] | undefined;
}

/**
 * Applies a configuration to an object, or to a blank one when there is none.
 *
 * Guarantees: neither is changed. Ends: with a StatusError; 409 when the configuration would change what others own.
 */
export function* applyConfig(live: ApiObject, config: PlainObject, options: ApplyOptions): Converting<Applied> {
  const { kind, writer } = options;
  checkKind(config, kind);
  const managers = yield* startingManagers(live, options);
  const typed = checkedConfig(config, kind);
  const self = { ...applierOf(writer, kind), time: undefined };
  const first = yield* attempt(live, typed, { ...options, managers, self });
  const outcome =
    first.conflicts === undefined
      ? first
      : yield* resolved(live, typed, { ...options, managers, self, outcome: first });
  const object = writer.manager === KUBECTL ? withLastApplied(outcome.object, config) : outcome.object;
  return { object, managedFields: encodeManagedFields(outcome.managers) };
}

function applierOf(writer: Writer, kind: OwnedKind): Omit<FieldManager, 'set' | 'time'> {
  const name = writer.manager === '' ? UNKNOWN_MANAGER : writer.manager;
  return { name, operation: 'Apply', apiVersion: apiVersionOf(kind.kind), subresource: kind.subresource };
}

/** Who owned an object before anybody applied to it. */
const BEFORE_FIRST_APPLY = 'before-first-apply';

/** The managers of the live object. One that has none yet belongs as a whole to a manager that stands for the past. */
function* startingManagers(live: ApiObject, { kind, writer, blank }: ApplyOptions): Converting<FieldManagers> {
  try {
    const managers = decodeManagedFields(live.metadata.managedFields);
    if (managers.size > 0 || live === blank) return managers;
    const change = { before: typedObject(blank, kind), after: typedObject(live, kind), kind };
    return yield* takeChanges(managers, { ...change, writer: { manager: BEFORE_FIRST_APPLY, time: writer.time } });
  } catch (error) {
    if (error instanceof FieldsError) throw unexpected(`failed to decode managed fields: ${error.message}`, error);
    if (error instanceof TypedError)
      throw unexpected(`failed to create manager for existing fields: ${error.message}`, error);
    throw error;
  }
}

function checkedConfig(config: PlainObject, kind: OwnedKind): TypedObject {
  const metadata = config['metadata'];
  if (isPlainObject(metadata) && Array.isArray(metadata['managedFields'])) {
    throw badRequest('metadata.managedFields must be nil');
  }
  const typed = typedObject(config, kind);
  try {
    checkTyped(config, typed.type);
  } catch (error) {
    if (!(error instanceof TypedError)) throw error;
    throw unexpected(`failed to create typed patch object (${objectLabel(config, kind)}): ${error.message}`, error);
  }
  return typed;
}

interface Attempt extends ApplyOptions {
  readonly managers: FieldManagers;
  readonly self: Omit<FieldManager, 'set'>;
}

interface Outcome {
  readonly object: PlainObject;
  readonly managers: FieldManagers;
  /** Set when the configuration would change what others own, and was not applied. */
  readonly conflicts: Conflicts | undefined;
}

function* attempt(
  live: ApiObject,
  config: TypedObject,
  { kind, writer, force, managers, self }: Attempt,
): Converting<Outcome> {
  const before = typedObject(live, kind);
  const reconciled = yield* reconcileManagers(managers, before);
  const merged: TypedObject = { ...before, object: mergeObjects(live, config.object, before.type) };
  const id = managerId(self);
  const applied = filteredSet(config, kind);
  const last = reconciled.get(id);
  const claimed = new Map(reconciled).set(id, { ...self, set: applied, time: last?.time });
  const after = yield* pruneObject(merged, { last, managers: claimed, applied });
  const settled = yield* settleManagers(claimed, new VersionedChange(before, after, kind), id);
  if (!force && settled.conflicts.size > 0) {
    return { object: live, managers, conflicts: settled.conflicts };
  }
  const isChanged = after.object !== live && !deepEqual(after.object, live);
  const time = isChanged ? writer.time : last?.time;
  return {
    object: isChanged ? (after.object as PlainObject) : live,
    managers: withApplier(settled.managers, id, { last, time }),
    conflicts: undefined,
  };
}

/** What a configuration says something about, as far as a write here can change it. */
function filteredSet(config: TypedObject, kind: OwnedKind): FieldSet {
  const set = setOf(config.object, config.type);
  return kind.filter?.(set) ?? set;
}

/** The managers with what nobody owns taken from the applier; an applier that owns what it did before is left as it was. */
function withApplier(
  managers: FieldManagers,
  id: string,
  { last, time }: { readonly last: FieldManager | undefined; readonly time: string | undefined },
): FieldManagers {
  const result = new Map(managers);
  const manager = managers.get(id);
  const set = withoutNeverOwned(manager?.set ?? EMPTY_SET);
  if (manager === undefined || set.isEmpty) {
    result.delete(id);
  } else if (
    last !== undefined &&
    last.time === time &&
    last.apiVersion === manager.apiVersion &&
    last.set.equals(set)
  ) {
    result.set(id, last);
  } else {
    result.set(id, { ...manager, set: last?.set.equals(set) === true ? last.set : set, time });
  }
  return result;
}

/** Kubectl may take over from itself what it applied on its own side; other conflicts are reported. */
function* resolved(
  live: ApiObject,
  config: TypedObject,
  options: Attempt & { readonly outcome: Outcome },
): Converting<Outcome> {
  const { outcome, managers, writer } = options;
  const conflicts: Conflicts = outcome.conflicts ?? new Map<string, FieldSet>();
  if (writer.manager !== KUBECTL) throw applyConflict(conflicts, managers);
  const allowed = setOfLastApplied(live, config.type, config.apiVersion);
  const left = conflictsBeyond(conflicts, allowed);
  if (left !== undefined) throw applyConflict(left, managers);
  return yield* attempt(live, config, { ...options, force: true });
}

/** What Kubernetes did not expect to fail is a failure of the server, with the words of the failure. */
function unexpected(message: string, cause: unknown): StatusError {
  return new StatusError({ code: 500, message }, { cause });
}
