import { compareUtf8 } from '../../base/index.ts';
import { printFieldsV1 } from './fields-v1.ts';
import type { ManagedFieldsEntry, Owner, Owners } from './owners.ts';

/** `metadata.managedFields` in its order: appliers first, then by time, manager, version and subresource. */
export function encodeOwners(owners: Owners): ManagedFieldsEntry[] | undefined {
  if (owners.size === 0) return undefined;
  const sorted = [...owners.values()];
  if (sorted.length > 1) sorted.sort(compareOwners);
  return sorted.map(encodeOwner);
}

function compareOwners(left: Owner, right: Owner): number {
  return (
    compareUtf8(left.operation, right.operation) ||
    compareTimes(left.time, right.time) ||
    compareUtf8(left.manager, right.manager) ||
    compareUtf8(left.apiVersion, right.apiVersion) ||
    compareUtf8(left.subresource, right.subresource)
  );
}

/** Times are kept in UTC and to the second, so their texts sort as they do; none at all is the oldest. */
export function compareTimes(left: string | undefined, right: string | undefined): number {
  return compareUtf8(left ?? '', right ?? '');
}

function encodeOwner(owner: Owner): ManagedFieldsEntry {
  if (owner.entry !== undefined) return owner.entry;
  const entry: ManagedFieldsEntry = {};
  if (owner.manager !== '') entry.manager = owner.manager;
  entry.operation = owner.operation;
  entry.apiVersion = owner.apiVersion;
  if (owner.time !== undefined) entry.time = owner.time;
  entry.fieldsType = 'FieldsV1';
  entry.fieldsV1 = printFieldsV1(owner.set);
  if (owner.subresource !== '') entry.subresource = owner.subresource;
  return entry;
}
