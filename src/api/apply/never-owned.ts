import { difference } from './field-set-algebra.ts';
import { type FieldSet, fieldSet } from './field-set.ts';
import { fieldElement } from './path-element.ts';

/** What identifies an object or is set by the server alone belongs to nobody. */
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
