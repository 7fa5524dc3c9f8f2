import { compareUtf8, deepEqual } from '../../base/index.ts';
import type { PlainObject } from '../json/index.ts';
import { isPlainObject } from '../json/plain-object.ts';
import type { ApiObject } from '../object.ts';
import { badRequest, StatusError } from '../status.ts';
import { checkTyped } from './check-typed.ts';
import type { Converting } from './conversion.ts';
import {
  decodeManagedFields,
  encodeManagedFields,
  type FieldManager,
  type FieldManagers,
  type ManagedFieldsEntry,
  managerId,
} from './field-managers.ts';
import { EMPTY_SET, type FieldSet } from './field-set.ts';
import { KUBECTL, setOfLastApplied, withLastApplied } from './last-applied.ts';
import { mergeObjects } from './merge-objects.ts';
import { withoutNeverOwned } from './never-owned.ts';
import { type OwnedKind, otherVersions, type TypedObject, typedObject, VersionedChange } from './versions.ts';
import { FieldsError } from './parse-element.ts';
import { withChange, UNKNOWN_MANAGER, type Writer } from './plain-write.ts';
import { pruneObject } from './prune-object.ts';
import { setOf } from './set-of.ts';
import { reconcileManagers, settleManagers } from './settle-managers.ts';
import { TypedError } from './typed-error.ts';
import { formatGroupVersion, formatGroupVersionKind, quoteGo } from '../values/index.ts';
import { difference } from './field-set-algebra.ts';
import { pathLabel } from './path-element.ts';
import type { GroupVersionKind } from '../schema/schema.ts';

export interface ApplyOptions {
  readonly kind: OwnedKind;
  readonly writer: Writer;
  /** Takes fields over from other managers instead of reporting a conflict. */
  readonly force: boolean;
  /** An empty object of the type. */
  readonly blank: ApiObject;
}

export interface Applied {
  /**
   * The object with the configuration merged in, not decoded and without defaults; the live object itself if nothing
   * differs.
   */
  readonly object: PlainObject;
  readonly managedFields: ManagedFieldsEntry[] | undefined;
}

/**
 * Applies a configuration to an object, or to a blank one if there is none.
 *
 * Changes neither. Throws a StatusError: 409 if the configuration would change fields of other managers.
 */
export function* applyConfig(live: ApiObject, config: PlainObject, options: ApplyOptions): Converting<Applied> {
  const { kind, writer } = options;
  checkKind(config, kind);
  const managers = yield* startingManagers(live, options);
  yield;
  const typed = checkedConfig(config, kind);
  const self = { ...applierOf(writer, kind), time: undefined };
  const first = yield* attempt(live, typed, { ...options, managers, self });
  const outcome =
    first.conflicts === undefined
      ? first
      : yield* resolved(live, typed, { ...options, managers, self, outcome: first });
  yield;
  const object = writer.manager === KUBECTL ? withLastApplied(outcome.object, config) : outcome.object;
  return { object, managedFields: encodeManagedFields(outcome.managers) };
}

function applierOf(writer: Writer, kind: OwnedKind): Omit<FieldManager, 'set' | 'time'> {
  const name = writer.manager === '' ? UNKNOWN_MANAGER : writer.manager;
  return { name, operation: 'Apply', apiVersion: formatGroupVersion(kind.kind), subresource: kind.subresource };
}

/** The manager of all fields of an object that had no managed fields before its first apply. */
const BEFORE_FIRST_APPLY = 'before-first-apply';

/** The managers of the live object. If it has none yet, one manager that stands for the past owns all its fields. */
function* startingManagers(live: ApiObject, { kind, writer, blank }: ApplyOptions): Converting<FieldManagers> {
  try {
    const managers = decodeManagedFields(live.metadata.managedFields);
    if (managers.size > 0 || live === blank) return managers;
    const change = new VersionedChange(typedObject(blank, kind), typedObject(live, kind), kind);
    yield;
    return withChange(managers, change, { kind, writer: { manager: BEFORE_FIRST_APPLY, time: writer.time } });
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
  /** Set if the configuration would change fields of other managers, and was not applied. */
  readonly conflicts: Conflicts | undefined;
}

function* attempt(
  live: ApiObject,
  config: TypedObject,
  { kind, writer, force, managers, self }: Attempt,
): Converting<Outcome> {
  const before = typedObject(live, kind);
  const reconciled = yield* reconcileManagers(managers, before);
  yield;
  const merged: TypedObject = { ...before, object: mergeObjects(live, config.object, before.type) };
  yield;
  const id = managerId(self);
  const applied = filteredSet(config, kind);
  const last = reconciled.get(id);
  const claimed = new Map(reconciled).set(id, { ...self, set: applied, time: last?.time });
  yield;
  const after = yield* pruneObject(merged, { last, managers: claimed, applied });
  yield;
  const change = new VersionedChange(before, after, kind);
  yield;
  yield* change.compareIn(otherVersions(claimed, before.apiVersion));
  const settled = settleManagers(claimed, change, id);
  if (!force && settled.conflicts.size > 0) {
    return { object: live, managers, conflicts: settled.conflicts };
  }
  yield;
  const isChanged = after.object !== live && !deepEqual(after.object, live);
  const time = isChanged ? writer.time : last?.time;
  return {
    object: isChanged ? (after.object as PlainObject) : live,
    managers: withApplier(settled.managers, id, { last, time }),
    conflicts: undefined,
  };
}

/** The fields that a configuration sets, limited to those that a write here can change. */
function filteredSet(config: TypedObject, kind: OwnedKind): FieldSet {
  const set = setOf(config.object, config.type);
  return kind.filter?.(set) ?? set;
}

/**
 * The managers with the applier's new set, without the fields that are never owned; an applier whose set is unchanged stays
 * the same object.
 */
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

/** Lets kubectl take over what it applied client-side before; other conflicts are reported. */
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

/** An error that Kubernetes did not expect, reported as an internal error with its message. */
function unexpected(message: string, cause: unknown): StatusError {
  return new StatusError({ code: 500, message }, { cause });
}

/** What an applied configuration would take from other managers, by their ids. */
type Conflicts = ReadonlyMap<string, FieldSet>;

/** The conflicts that are not in `allowed`; undefined if none are left. */
function conflictsBeyond(conflicts: Conflicts, allowed: FieldSet): Conflicts | undefined {
  const left = new Map<string, FieldSet>();
  for (const [id, set] of conflicts) {
    const rest = difference(set, allowed);
    if (!rest.isEmpty) left.set(id, rest);
  }
  return left.size === 0 ? undefined : left;
}

/** 409 with a cause for each field that another manager owns. */
function applyConflict(conflicts: Conflicts, managers: FieldManagers): StatusError {
  const groups = [...conflicts]
    .sort(([left], [right]) => compareUtf8(left, right))
    .map(([id, set]) => ({ label: managerLabel(managers.get(id)), fields: [...set.paths()].map(pathLabel) }));
  const causes = groups.flatMap(({ label, fields }) =>
    fields.map((field) => ({ reason: 'FieldManagerConflict', message: `conflict with ${label}`, field })),
  );
  const [only] = causes;
  const message =
    causes.length === 1 && only !== undefined
      ? `1 conflict: ${only.message}: ${only.field}`
      : `${causes.length} conflicts: ${groups.map(groupText).join('\n')}`;
  return new StatusError({
    code: 409,
    reason: 'Conflict',
    message: `Apply failed with ${message}`,
    details: { causes },
  });
}

function groupText({ label, fields }: { readonly label: string; readonly fields: readonly string[] }): string {
  return [`conflicts with ${label}:`, ...fields.map((field) => `- ${field}`)].join('\n');
}

function managerLabel(manager: FieldManager | undefined): string {
  if (manager === undefined) return quoteGo('');
  const { name, operation, apiVersion, subresource } = manager;
  const where = subresource === '' ? '' : ` with subresource ${quoteGo(subresource)}`;
  return `${quoteGo(name)}${where}${operation === 'Update' ? ` using ${apiVersion}` : ''}`;
}

/** How messages name an object: `default/web; apps/v1, Kind=Deployment`. */
function objectLabel(object: PlainObject, { kind }: OwnedKind): string {
  const metadata = isPlainObject(object['metadata']) ? object['metadata'] : {};
  return `${textOf(metadata['namespace'])}/${textOf(metadata['name'])}; ${formatGroupVersionKind(kind)}`;
}

/** Requires the configuration to have the right kind and apiVersion. */
function checkKind(config: PlainObject, { kind }: OwnedKind): void {
  const sent = sentKind(config);
  if (sent.kind === kind.kind && sent.version === kind.version && sent.group === kind.group) return;
  throw badRequest(`invalid object type: ${formatGroupVersionKind(sent)}`);
}

function sentKind(config: PlainObject): GroupVersionKind {
  const apiVersion = textOf(config['apiVersion']);
  const parts = apiVersion.split('/');
  const kind = textOf(config['kind']);
  if (parts.length > 2) return { group: '', version: '', kind: '' };
  return parts.length === 2
    ? { group: parts[0] ?? '', version: parts[1] ?? '', kind }
    : { group: '', version: apiVersion, kind };
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}
