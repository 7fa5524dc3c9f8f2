import { compareUtf8 } from '../../base/index.ts';
import { printFieldsV1 } from './fields-v1.ts';
import type { ManagedFieldsEntry, FieldManager, FieldManagers } from './field-managers.ts';

/** `metadata.managedFields` in its order: appliers first, then by time, manager, version and subresource. */
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

/** Times are kept in UTC and to the second, so their texts sort as they do; none at all is the oldest. */
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
