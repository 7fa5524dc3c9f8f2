import { compareUtf8 } from '../../base/index.ts';
import { printFieldsV1 } from './fields-v1.ts';
import type { ManagedFieldsEntry, Owner, Owners } from './owners.ts';

/** `metadata.managedFields` in its order: appliers first, then by time, manager, version and subresource. */
export function encodeOwners(owners: Owners): ManagedFieldsEntry[] | undefined {
  if (owners.size === 0) return undefined;
  return [...owners.values()].sort(compareOwners).map(encodeOwner);
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
  const { manager, operation, apiVersion, time, set, subresource } = owner;
  return {
    ...(manager === '' ? {} : { manager }),
    operation,
    apiVersion,
    ...(time === undefined ? {} : { time }),
    fieldsType: 'FieldsV1',
    fieldsV1: printFieldsV1(set),
    ...(subresource === '' ? {} : { subresource }),
  };
}
