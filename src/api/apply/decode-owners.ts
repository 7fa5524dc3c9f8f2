import { quoteGo } from '../values/index.ts';
import { parseFieldsV1 } from './fields-v1.ts';
import { type ManagedFieldsEntry, NO_OWNERS, type Owner, ownerId, type Owners } from './owners.ts';
import { FieldsError } from './parse-element.ts';

/** Owners by the list they were read from, since stored objects are never changed. */
const known = new WeakMap<object, Owners>();

/**
 * Who owns what, by `metadata.managedFields`; of two entries with the same id the last one counts.
 *
 * Ends: with a FieldsError that says what is wrong, in the words of Kubernetes.
 */
export function decodeOwners(entries: readonly ManagedFieldsEntry[] | null | undefined): Owners {
  if (entries === undefined || entries === null || entries.length === 0) return NO_OWNERS;
  const before = known.get(entries);
  if (before !== undefined) return before;
  const owners = new Map<string, Owner>();
  for (const [index, entry] of entries.entries()) {
    const owner = decodeOwner(entry, index);
    owners.set(ownerId(owner), owner);
  }
  known.set(entries, owners);
  return owners;
}

function decodeOwner(entry: ManagedFieldsEntry, index: number): Owner {
  const { manager = '', operation, apiVersion = '', time, fieldsType = '', subresource = '' } = entry;
  if (operation !== 'Apply' && operation !== 'Update') throw new FieldsError('operation must be `Apply` or `Update`');
  if (apiVersion === '') throw new FieldsError('apiVersion must not be empty');
  if (fieldsType === '') throw new FieldsError(`missing fieldsType in managed fields entry ${index}`);
  if (fieldsType !== 'FieldsV1') {
    throw new FieldsError(`invalid fieldsType ${quoteGo(fieldsType)} in managed fields entry ${index}`);
  }
  const set = parseFieldsV1(entry.fieldsV1);
  return { manager, operation, apiVersion, subresource, time, set, entry };
}

/** What is wrong with `metadata.managedFields`, if anything is. */
export function managedFieldsProblem(entries: readonly ManagedFieldsEntry[] | undefined): string | undefined {
  try {
    decodeOwners(entries);
    return undefined;
  } catch (error) {
    if (error instanceof FieldsError) return error.message;
    throw error;
  }
}
