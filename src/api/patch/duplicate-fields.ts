import { explain } from '../json/explain.ts';
import type { JsonBody } from '../json/json-body.ts';
import { describeProblem } from '../json/strict-problem.ts';
import type { Struct } from '../schema/schema.ts';

/** A type that accepts anything, like the maps that patches are decoded into. */
const ANYTHING: Struct = {
  name: 'map',
  shortName: 'map',
  fields: [],
  field: () => undefined,
  kind: undefined,
  isAtomic: false,
  unions: [],
  preservesUnknown: true,
};

/** Duplicate keys in an untyped object, such as `duplicate field "spec.foo"`. */
export function duplicateFields(body: JsonBody): string[] {
  if (!body.mayHaveDuplicates) return [];
  return explain(body.node, ANYTHING).problems.map(describeProblem);
}
