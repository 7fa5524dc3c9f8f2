import { difference } from './field-set-algebra.ts';
import { type FieldSet, fieldSet } from './field-set.ts';
import { fieldElement } from './path-element.ts';

/** Fields that identify an object or that only the server sets have no manager. */
const NEVER_OWNED: readonly string[][] = [
  ['apiVersion'],
  ['kind'],
  ['metadata'],
  ['metadata', 'name'],
  ['metadata', 'namespace'],
  ['metadata', 'creationTimestamp'],
  ['metadata', 'selfLink'],
  ['metadata', 'uid'],
  ['metadata', 'clusterName'],
  ['metadata', 'generation'],
  ['metadata', 'managedFields'],
  ['metadata', 'resourceVersion'],
];

const neverOwned = fieldSet(...NEVER_OWNED.map((path) => path.map(fieldElement)));

export function withoutNeverOwned(set: FieldSet): FieldSet {
  return difference(set, neverOwned);
}
