import { formatGroupVersion } from '../values/index.ts';
import type { ApiObject } from '../object.ts';
import { deepEqual } from '../../base/index.ts';
import {
  capManagers,
  decodeManagedFields,
  encodeManagedFields,
  type FieldManager,
  type FieldManagers,
  type ManagedFieldsEntry,
  managerId,
  NO_MANAGERS,
  withSet,
} from './field-managers.ts';
import { checkTyped } from './check-typed.ts';
import type { Converting } from './conversion.ts';
import { union } from './field-set-algebra.ts';
import { withoutNeverOwned } from './never-owned.ts';
import { type OwnedKind, otherVersions, typedObject, VersionedChange } from './versions.ts';
import { FieldsError } from './parse-element.ts';
import { reconciledManagers, reconcileManagers, settleManagers } from './settle-managers.ts';
import { TypedError } from './typed-error.ts';
import type { FieldSet } from './field-set.ts';

/** The writer, and the time of the write. */
export interface Writer {
  /** The manager's name; empty if the client gave none. */
  readonly manager: string;
  /** In the format of `metadata`. */
  readonly time: string;
}

/**
 * `metadata.managedFields` of an object after a create, update or patch: the writer owns what it changed.
 *
 * `live` is the previous object, or an empty one of the type. If nothing that can be owned has changed, returns the
 * previous list itself.
 */
export function* ownAfterWrite(
  live: ApiObject,
  object: ApiObject,
  { kind, writer }: { readonly kind: OwnedKind; readonly writer: Writer },
): Converting<ManagedFieldsEntry[] | undefined> {
  const entries = entriesToStartFrom(live, object, kind);
  try {
    const managers =
      entries === live.metadata.managedFields ? decodeManagedFields(entries) : normalized(decodeManagedFields(entries));
    if (managers.size === 0 && isStored(live)) return undefined;
    const before = typedObject(live, kind);
    const after = typedObject(withEntriesOf(live, object), kind);
    // Custom objects may have members of a wrong type that are never validated, such as the status in a create.
    if (kind.type.isStructural === true) checkTyped(after.object, after.type, { allowsTwins: true });
    const others = otherVersions(managers, before.apiVersion);
    const reconciled =
      others.length === 0 ? reconciledManagers(managers, before) : yield* reconcileManagers(managers, before);
    const change = new VersionedChange(before, after, kind);
    yield;
    if (others.length > 0) yield* change.compareIn(otherVersions(reconciled, before.apiVersion));
    const owned = withChange(reconciled, change, { kind, writer });
    yield;
    const isUnchanged = owned === decodeManagedFields(entries) && owned.size === (entries?.length ?? 0);
    return isUnchanged ? entries : encodeManagedFields(owned);
  } catch (error) {
    // Kubernetes drops ownership that it cannot compute, rather than refusing the write.
    if (error instanceof TypedError || error instanceof FieldsError) return undefined;
    throw error;
  }
}

const recentSets = new WeakMap<OwnedKind, RecentSets>();

function recentSetsOf(kind: OwnedKind): RecentSets {
  let recent = recentSets.get(kind);
  if (recent === undefined) {
    recent = new RecentSets();
    recentSets.set(kind, recent);
  }
  return recent;
}

/** The managers after a write other than apply. The same preconditions as `settleManagers`. */
export function withChange(
  managers: FieldManagers,
  change: VersionedChange,
  { kind, writer }: { readonly kind: OwnedKind; readonly writer: Writer },
): FieldManagers {
  const { managers: settled } = settleManagers(managers, change, undefined);
  const apiVersion = formatGroupVersion(kind.kind);
  const comparison = change.in(apiVersion);
  const touched = comparison === undefined ? undefined : union(comparison.modified, comparison.added);
  const set = touched === undefined ? undefined : withoutNeverOwned(kind.filter?.(touched) ?? touched);
  if (set === undefined || set.isEmpty) return capManagers(settled);
  const name = writer.manager === '' ? UNKNOWN_MANAGER : writer.manager;
  const { time } = writer;
  const manager: FieldManager = { name, operation: 'Update', apiVersion, subresource: kind.subresource, time, set };
  const recent = recentSetsOf(kind);
  const id = recent.idOf(manager);
  const previous = settled.get(id);
  const whole = recent.intern(previous === undefined ? set : union(previous.set, set));
  return capManagers(new Map(settled).set(id, withSet(manager, whole)));
}

export const UNKNOWN_MANAGER = 'unknown';

/**
 * The list that a write starts from: that of the sent object if it has one, otherwise the live one, so that clients that do
 * not know managedFields do not delete them. An empty list, or one empty entry, resets it.
 */
function entriesToStartFrom(
  live: ApiObject,
  object: ApiObject,
  { subresource }: OwnedKind,
): ManagedFieldsEntry[] | undefined {
  const own = live.metadata.managedFields;
  const sent = object.metadata.managedFields;
  if (subresource !== '' || sent === undefined || sent === own) return readable(own);
  if (isReset(sent)) return undefined;
  if (deepEqual(sent, own)) return readable(own);
  return readable(sent) ?? readable(own);
}

function isReset(entries: readonly ManagedFieldsEntry[]): boolean {
  const [first] = entries;
  return entries.length === 0 || (entries.length === 1 && first !== undefined && Object.keys(first).length === 0);
}

function readable(entries: ManagedFieldsEntry[] | undefined): ManagedFieldsEntry[] | undefined {
  try {
    return decodeManagedFields(entries) === NO_MANAGERS ? undefined : entries;
  } catch (error) {
    if (error instanceof FieldsError) return undefined;
    throw error;
  }
}

/** Sorts the entries and drops unknown elements, because the client may have written them. */
function normalized(managers: FieldManagers): FieldManagers {
  return new Map([...managers].map(([id, { entry: _, ...manager }]) => [id, manager]));
}

function isStored(object: ApiObject): boolean {
  return (object.metadata.uid ?? '') !== '';
}

/** Both objects get the same managedFields, which are never owned themselves. */
function withEntriesOf(live: ApiObject, object: ApiObject): ApiObject {
  const { managedFields } = live.metadata;
  return object.metadata.managedFields === managedFields
    ? object
    : { ...object, metadata: { ...object.metadata, managedFields } };
}

/** Maximum number of sets kept. */
const CAPACITY = 8;
const MAX_IDS = 64;

/**
 * Recent sets, so that equal ones are one object: objects of a kind that one program writes mostly have the same fields,
 * and then share their set and its printed form. When full, the least recently used is dropped.
 */
class RecentSets {
  readonly #sets: FieldSet[] = [];
  /** The ids of Update managers by name; the rest of the id is the same for the kind. */
  readonly #ids = new Map<string, string>();

  idOf(manager: FieldManager): string {
    let id = this.#ids.get(manager.name);
    if (id === undefined) {
      id = managerId(manager);
      if (this.#ids.size >= MAX_IDS) this.#ids.clear();
      this.#ids.set(manager.name, id);
    }
    return id;
  }

  /** The equal recent set, or this one, which is then kept. */
  intern(set: FieldSet): FieldSet {
    const sets = this.#sets;
    let found = sets.findIndex((known) => known.equals(set));
    const known = found < 0 ? set : (sets[found] as FieldSet);
    if (found < 0) found = Math.min(sets.length, CAPACITY - 1);
    for (let at = found; at > 0; at--) sets[at] = sets[at - 1] as FieldSet;
    sets[0] = known;
    return known;
  }
}

/**
 * The managedFields to store: the old ones if nothing but times would change in the whole object. Defaulting can undo a
 * change after managers were computed, and such a write must not make a new version of the object.
 */
export function keepTimes(object: ApiObject, old: ApiObject): ManagedFieldsEntry[] | undefined {
  const entries = object.metadata.managedFields;
  const before = old.metadata.managedFields;
  if (entries === undefined || before === undefined || entries === before) return entries;
  if (entries.length !== before.length || entries.length === 0) return entries;
  if (entries.every((entry, index) => entry.time === before[index]?.time)) return entries;
  const isSame = entries.every((entry, index) => deepEqual(timeless(entry), timeless(before[index] ?? {})));
  return isSame && deepEqual(withEntries(object, before), old) ? before : entries;
}

function timeless({ time: _, ...entry }: ManagedFieldsEntry): ManagedFieldsEntry {
  return entry;
}

function withEntries(object: ApiObject, managedFields: ApiObject['metadata']['managedFields']): ApiObject {
  return { ...object, metadata: { ...object.metadata, managedFields } };
}

const MAX_LENGTH_BYTES = 128;
const PRINTABLE = /[\p{L}\p{M}\p{N}\p{P}\p{S} ]/u;
/** Printable ASCII, at most 128 characters. */
const PLAIN = /^[ -~]{0,128}$/;

/** The manager's name of a write: the client's `fieldManager`, or the first part of its user agent. */
export function managerName(fieldManager: string, userAgent: string): string {
  if (fieldManager !== '') return fieldManager;
  const [agent = ''] = userAgent.split('/', 1);
  if (PLAIN.test(agent)) return agent;
  let name = '';
  let length = 0;
  for (const character of agent) {
    if (!PRINTABLE.test(character)) continue;
    length += Buffer.byteLength(character);
    if (length > MAX_LENGTH_BYTES) break;
    name += character;
  }
  return name;
}
