import { encodeJson } from '../json/index.ts';
import type { ManagedFieldsEntry } from '../types/meta/v1.d.ts';
import type { FieldSet } from './field-set.ts';

/** What one manager owns by one kind of operation. */
export interface Owner {
  readonly manager: string;
  readonly operation: 'Apply' | 'Update';
  /** The version of the object that the paths are meant in. */
  readonly apiVersion: string;
  readonly subresource: string;
  /** When the manager last changed something. */
  readonly time: string | undefined;
  readonly set: FieldSet;
  /** Where the owner was read from; absent when something is different now. */
  readonly entry?: ManagedFieldsEntry;
}

/** All owners of an object by their id. Never changed: what changes owners makes another map. */
export type Owners = ReadonlyMap<string, Owner>;

export const NO_OWNERS: Owners = new Map();

/**
 * What tells owners apart, as text: manager, operation and subresource, and for updates the version too. Conflicts are
 * reported in its order.
 */
export function ownerId(owner: Pick<Owner, 'manager' | 'operation' | 'apiVersion' | 'subresource'>): string {
  const { manager, operation, apiVersion, subresource } = owner;
  const name = manager === '' ? '' : `"manager":${encodeJson(manager)},`;
  const version = operation === 'Apply' ? '' : `,"apiVersion":${encodeJson(apiVersion)}`;
  const part = subresource === '' ? '' : `,"subresource":${encodeJson(subresource)}`;
  return `{${name}"operation":"${operation}"${version}${part}}`;
}

export function withSet(owner: Owner, set: FieldSet): Owner {
  if (owner.set === set) return owner;
  const { manager, operation, apiVersion, subresource, time } = owner;
  return { manager, operation, apiVersion, subresource, time, set };
}

export type { ManagedFieldsEntry };
