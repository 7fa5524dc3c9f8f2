import { encodeJson } from '../json/index.ts';
import type { ManagedFieldsEntry } from '../types/meta/v1.d.ts';
import type { FieldSet } from './field-set.ts';
import { quoteGo } from '../values/index.ts';
import { parseFieldsV1, printFieldsV1 } from './fields-v1.ts';
import { FieldsError } from './parse-element.ts';
import { compareUtf8 } from '../../base/index.ts';
import { union } from './field-set-algebra.ts';

/** The fields that one manager owns by one operation. */
export interface FieldManager {
  readonly name: string;
  readonly operation: 'Apply' | 'Update';
  /** The version of the object that the paths refer to. */
  readonly apiVersion: string;
  readonly subresource: string;
  /** When the manager last changed something. */
  readonly time: string | undefined;
  readonly set: FieldSet;
  /** The entry that the manager was read from; undefined if anything has changed since. */
  readonly entry?: ManagedFieldsEntry;
}

/** All managers of an object by id. Immutable: changes make another map. */
export type FieldManagers = ReadonlyMap<string, FieldManager>;

export const NO_MANAGERS: FieldManagers = new Map();

/**
 * A text that identifies a manager: manager, operation and subresource, and for updates the version too. Conflicts are
 * reported in its order.
 */
export function managerId(manager: Pick<FieldManager, 'name' | 'operation' | 'apiVersion' | 'subresource'>): string {
  const { name, operation, apiVersion, subresource } = manager;
  const own = name === '' ? '' : `"manager":${encodeJson(name)},`;
  const version = operation === 'Apply' ? '' : `,"apiVersion":${encodeJson(apiVersion)}`;
  const part = subresource === '' ? '' : `,"subresource":${encodeJson(subresource)}`;
  return `{${own}"operation":"${operation}"${version}${part}}`;
}

export function withSet(manager: FieldManager, set: FieldSet): FieldManager {
  if (manager.set === set) return manager;
  const { name, operation, apiVersion, subresource, time } = manager;
  return { name, operation, apiVersion, subresource, time, set };
}

export type { ManagedFieldsEntry };

/** Managers by the list they were read from; stored objects are immutable. */
const known = new WeakMap<object, FieldManagers>();

/**
 * The managers in `metadata.managedFields`; of two entries with the same id the last one wins.
 *
 * Throws a FieldsError, in Kubernetes' words.
 */
export function decodeManagedFields(entries: readonly ManagedFieldsEntry[] | null | undefined): FieldManagers {
  if (entries === undefined || entries === null || entries.length === 0) return NO_MANAGERS;
  const before = known.get(entries);
  if (before !== undefined) return before;
  const managers = new Map<string, FieldManager>();
  for (const [index, entry] of entries.entries()) {
    const manager = decodeManager(entry, index);
    managers.set(managerId(manager), manager);
  }
  known.set(entries, managers);
  return managers;
}

function decodeManager(entry: ManagedFieldsEntry, index: number): FieldManager {
  const { manager: name = '', operation, apiVersion = '', time, fieldsType = '', subresource = '' } = entry;
  if (operation !== 'Apply' && operation !== 'Update') throw new FieldsError('operation must be `Apply` or `Update`');
  if (apiVersion === '') throw new FieldsError('apiVersion must not be empty');
  if (fieldsType === '') throw new FieldsError(`missing fieldsType in managed fields entry ${index}`);
  if (fieldsType !== 'FieldsV1') {
    throw new FieldsError(`invalid fieldsType ${quoteGo(fieldsType)} in managed fields entry ${index}`);
  }
  const set = parseFieldsV1(entry.fieldsV1);
  return { name, operation, apiVersion, subresource, time, set, entry };
}

/** The problem in `metadata.managedFields`, if any. */
export function managedFieldsProblem(entries: readonly ManagedFieldsEntry[] | undefined): string | undefined {
  try {
    decodeManagedFields(entries);
    return undefined;
  } catch (error) {
    if (error instanceof FieldsError) return error.message;
    throw error;
  }
}

/** `metadata.managedFields`, sorted: appliers first, then by time, manager, version and subresource. */
export function encodeManagedFields(managers: FieldManagers): ManagedFieldsEntry[] | undefined {
  if (managers.size === 0) return undefined;
  const sorted = [...managers.values()];
  if (sorted.length > 1) sorted.sort(compareManagers);
  return sorted.map(encodeManager);
}

function compareManagers(left: FieldManager, right: FieldManager): number {
  return (
    compareUtf8(left.operation, right.operation) ||
    compareTimes(left.time, right.time) ||
    compareUtf8(left.name, right.name) ||
    compareUtf8(left.apiVersion, right.apiVersion) ||
    compareUtf8(left.subresource, right.subresource)
  );
}

/** Compares times, which are in UTC with whole seconds and so sort as text; a missing one is the oldest. */
export function compareTimes(left: string | undefined, right: string | undefined): number {
  return compareUtf8(left ?? '', right ?? '');
}

function encodeManager(manager: FieldManager): ManagedFieldsEntry {
  if (manager.entry !== undefined) return manager.entry;
  const entry: ManagedFieldsEntry = {};
  if (manager.name !== '') entry.manager = manager.name;
  entry.operation = manager.operation;
  entry.apiVersion = manager.apiVersion;
  if (manager.time !== undefined) entry.time = manager.time;
  entry.fieldsType = 'FieldsV1';
  entry.fieldsV1 = printFieldsV1(manager.set);
  if (manager.subresource !== '') entry.subresource = manager.subresource;
  return entry;
}

/** Maximum number of managers with operation Update. */
const MAX_UPDATERS = 10;
/** The manager that gets the fields of the oldest ones. */
const ANCIENT_MANAGER = 'ancient-changes';

/** Merges the oldest Update managers of the same version until the limit is met. */
export function capManagers(managers: FieldManagers): FieldManagers {
  if (managers.size <= MAX_UPDATERS) return managers;
  const updaters = [...managers].filter(([, manager]) => manager.operation === 'Update');
  if (updaters.length <= MAX_UPDATERS) return managers;
  updaters.sort(
    ([leftId, left], [rightId, right]) => compareTimes(left.time, right.time) || compareUtf8(leftId, rightId),
  );
  const result = new Map(managers);
  const firstOfVersion = new Map<string, string>();
  let surplus = updaters.length - MAX_UPDATERS;
  for (const [id, manager] of updaters) {
    if (surplus === 0) break;
    const firstId = firstOfVersion.get(manager.apiVersion);
    if (firstId === undefined) {
      firstOfVersion.set(manager.apiVersion, id);
      continue;
    }
    mergeInto(result, [id, manager], firstId);
    surplus -= 1;
  }
  return result;
}

/** Adds a manager's fields to the bucket of its version; the first manager of a version becomes the bucket. */
function mergeInto(
  managers: Map<string, FieldManager>,
  [id, manager]: readonly [string, FieldManager],
  firstId: string,
): void {
  const { apiVersion, time } = manager;
  const ancient = { name: ANCIENT_MANAGER, operation: 'Update', apiVersion, subresource: '' } as const;
  const ancientId = managerId(ancient);
  let bucket = managers.get(ancientId);
  if (bucket === undefined) {
    bucket = managers.get(firstId) ?? manager;
    managers.delete(firstId);
  }
  managers.delete(id);
  managers.set(ancientId, { ...ancient, time, set: union(manager.set, bucket.set) });
}
