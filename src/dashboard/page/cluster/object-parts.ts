import type { KubernetesObject } from '../../protocol.ts';
import type { OwnerReference } from '../tables/table-rows.ts';
import type { ManagedFieldsEntry } from '../yaml/field-owners.ts';

/** Members that many kinds have, read without trust: objects may hold anything there. */

export interface Condition {
  readonly type: string;
  readonly status: string;
  readonly reason?: string;
  readonly message?: string;
  readonly lastTransitionTime?: string;
}

export function conditionsOf(object: KubernetesObject): Condition[] {
  const conditions = memberAt(object, ['status', 'conditions']);
  if (!Array.isArray(conditions)) return [];
  return conditions.filter(
    (condition): condition is Condition =>
      typeof condition === 'object' && condition !== null && typeof condition.type === 'string',
  );
}

export function ownersIn(object: KubernetesObject): readonly OwnerReference[] {
  const owners = object.metadata?.['ownerReferences'];
  return Array.isArray(owners) ? (owners as OwnerReference[]) : [];
}

export function managedFieldsOf(object: KubernetesObject): readonly ManagedFieldsEntry[] {
  const entries = object.metadata?.['managedFields'];
  return Array.isArray(entries) ? (entries as ManagedFieldsEntry[]) : [];
}

/** The object as people read it: without the bookkeeping of who owns which field. */
export function withoutManagedFields(object: KubernetesObject): KubernetesObject {
  if (object.metadata?.['managedFields'] === undefined) return object;
  const { managedFields: _, ...metadata } = object.metadata;
  return { ...object, metadata };
}

export function memberAt(value: unknown, path: readonly (string | number)[]): unknown {
  let current = value;
  for (const step of path) {
    if (typeof current !== 'object' || current === null || !Object.hasOwn(current, step)) return undefined;
    current = (current as Record<string | number, unknown>)[step];
  }
  return current;
}

export function textAt(value: unknown, path: readonly (string | number)[]): string {
  const found = memberAt(value, path);
  return typeof found === 'string' || typeof found === 'number' || typeof found === 'boolean' ? String(found) : '';
}

const WHOLE = ['Ready', 'Available', 'Established', 'Complete', 'Succeeded'];

/** One word for how an object is, from what most kinds have: its deletion, phase and conditions. */
export function stateOf(object: KubernetesObject): string {
  if (object.metadata?.['deletionTimestamp'] !== undefined) return 'Terminating';
  const conditions = conditionsOf(object);
  const isTrue = (type: string): boolean => conditions.some((one) => one.type === type && one.status === 'True');
  if (isTrue('Failed') || isTrue('Stalled')) return 'Failed';
  const phase = textAt(object, ['status', 'phase']);
  if (phase !== '') return phase;
  const seen = memberAt(object, ['status', 'observedGeneration']);
  const generation = object.metadata?.['generation'];
  if (typeof seen === 'number' && typeof generation === 'number' && seen < generation) return 'Progressing';
  for (const type of WHOLE) {
    const condition = conditions.find((one) => one.type === type);
    if (condition !== undefined) return condition.status === 'True' ? type : (condition.reason ?? `Not${type}`);
  }
  return '';
}
