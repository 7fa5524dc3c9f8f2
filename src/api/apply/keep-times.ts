import { deepEqual } from '../../base/index.ts';
import type { ApiObject } from '../object.ts';
import type { ManagedFieldsEntry } from './field-managers.ts';

/**
 * The managedFields to store: the old ones when nothing but times would change in the whole object. Defaulting and the
 * like can undo a change after managers have been told of it, and such a write must not make a new version of the object.
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
