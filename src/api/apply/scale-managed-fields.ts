import { formatGroupVersion } from '../values/index.ts';
import {
  decodeManagedFields,
  encodeManagedFields,
  type FieldManager,
  type ManagedFieldsEntry,
  withSet,
} from './field-managers.ts';
import { difference } from './field-set-algebra.ts';
import { fieldSet } from './field-set.ts';
import { fieldElement, type PathElement } from './path-element.ts';

/** Where the objects of a scalable kind have the Scale's `spec.replicas`. */
export interface ScaledKind {
  readonly group: string;
  readonly version: string;
  /** By apiVersion; undefined if the version has no scale. Managers of other versions are dropped. */
  readonly replicasPath: (apiVersion: string) => readonly string[] | undefined;
}

type Entries = ManagedFieldsEntry[] | undefined;

const SCALE_VERSION = 'autoscaling/v1';
const REPLICAS = ['spec', 'replicas'];

/** The managers of an object's replicas, as `metadata.managedFields` of its Scale. */
export function managedFieldsOfScale(parent: Entries, scaled: ScaledKind): Entries {
  const managers = new Map<string, FieldManager>();
  for (const [id, manager] of decodeManagedFields(parent)) {
    const path = scaled.replicasPath(manager.apiVersion);
    if (path === undefined || !manager.set.has(pathOf(path))) continue;
    managers.set(id, { ...withSet(manager, fieldSet(pathOf(REPLICAS))), apiVersion: SCALE_VERSION });
  }
  return encodeManagedFields(managers);
}

/** `metadata.managedFields` of the object after its Scale was written. */
export function managedFieldsFromScale(parent: Entries, scale: Entries, scaled: ScaledKind): Entries {
  const before = decodeManagedFields(parent);
  const scaleManagers = new Map(decodeManagedFields(scale));
  const managers = new Map<string, FieldManager>();
  for (const [id, manager] of before) {
    const path = scaled.replicasPath(manager.apiVersion);
    if (path === undefined) continue;
    const elements = pathOf(path);
    if (!manager.set.has(elements) || scaleManagers.delete(id)) {
      managers.set(id, manager);
      continue;
    }
    const left = difference(manager.set, fieldSet(elements));
    if (!left.isEmpty) managers.set(id, withSet(manager, left));
  }
  const apiVersion = formatGroupVersion(scaled);
  const own = pathOf(scaled.replicasPath(apiVersion) ?? REPLICAS);
  for (const [id, manager] of scaleManagers) {
    if (!manager.set.has(pathOf(REPLICAS))) continue;
    managers.set(id, { ...withSet(manager, fieldSet(own)), apiVersion, time: before.get(id)?.time });
  }
  return encodeManagedFields(managers);
}

function pathOf(names: readonly string[]): PathElement[] {
  return names.map(fieldElement);
}
