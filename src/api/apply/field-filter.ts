import { differenceBelow } from './field-set-algebra.ts';
import { type FieldSet, fieldSet } from './field-set.ts';
import { fieldElement } from './path-element.ts';

/** Leaves of a set only what a write can change. */
export type FieldFilter = (set: FieldSet) => FieldSet;

/** Takes away paths, given by names of fields, and all below them: what a write cannot change, because it is reset. */
export function excludeFields(...paths: readonly (readonly string[])[]): FieldFilter {
  const excluded = fieldSet(...paths.map((path) => path.map(fieldElement)));
  return (set) => differenceBelow(set, excluded);
}
