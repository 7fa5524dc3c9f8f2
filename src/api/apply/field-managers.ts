import { encodeJson } from '../json/index.ts';
import type { ManagedFieldsEntry } from '../types/meta/v1.d.ts';
import type { FieldSet } from './field-set.ts';

/** What one manager owns by one kind of operation. */
export interface FieldManager {
  readonly name: string;
  readonly operation: 'Apply' | 'Update';
  /** The version of the object that the paths are meant in. */
  readonly apiVersion: string;
  readonly subresource: string;
  /** When the manager last changed something. */
  readonly time: string | undefined;
  readonly set: FieldSet;
  /** Where the manager was read from; absent when something is different now. */
  readonly entry?: ManagedFieldsEntry;
}

/** All managers of an object by their id. Never changed: what changes managers makes another map. */
export type FieldManagers = ReadonlyMap<string, FieldManager>;

export const NO_MANAGERS: FieldManagers = new Map();

/**
 * What tells managers apart, as text: manager, operation and subresource, and for updates the version too. Conflicts are
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
