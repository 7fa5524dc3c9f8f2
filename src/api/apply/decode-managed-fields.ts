import { quoteGo } from '../values/index.ts';
import { parseFieldsV1 } from './fields-v1.ts';
import {
  type ManagedFieldsEntry,
  NO_MANAGERS,
  type FieldManager,
  managerId,
  type FieldManagers,
} from './field-managers.ts';
import { FieldsError } from './parse-element.ts';

/** Managers by the list they were read from, since stored objects are never changed. */
const known = new WeakMap<object, FieldManagers>();

/**
 * Who owns what, by `metadata.managedFields`; of two entries with the same id the last one counts.
 *
 * Ends: with a FieldsError that says what is wrong, in the words of Kubernetes.
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

/** What is wrong with `metadata.managedFields`, if anything is. */
export function managedFieldsProblem(entries: readonly ManagedFieldsEntry[] | undefined): string | undefined {
  try {
    decodeManagedFields(entries);
    return undefined;
  } catch (error) {
    if (error instanceof FieldsError) return error.message;
    throw error;
  }
}
