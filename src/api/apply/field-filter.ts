import { differenceBelow } from './field-set-algebra.ts';
import { EMPTY_SET, type FieldEntry, FieldSet, fieldSet } from './field-set.ts';
import { fieldElement } from './path-element.ts';

/** Leaves of a set only what a write can change. */
export type FieldFilter = (set: FieldSet) => FieldSet;

/** A path by names of fields; `*` stands for any element. */
export type FieldPattern = readonly string[];

/** Takes away paths and all below them: what a write cannot change, because it is reset. */
export function excludeFields(...paths: readonly FieldPattern[]): FieldFilter {
  const excluded = fieldSet(...paths.map((path) => path.map(fieldElement)));
  return (set) => differenceBelow(set, excluded);
}

/** Leaves only paths that begin like one of these: what a write can change at all. */
export function includeFields(...patterns: readonly FieldPattern[]): FieldFilter {
  return (set) => including(set, patterns);
}

function including(set: FieldSet, patterns: readonly FieldPattern[]): FieldSet {
  if (patterns.some((pattern) => pattern.length === 0)) return set;
  const entries: FieldEntry[] = [];
  for (const entry of set.entries) {
    const name = entry.element.kind === 'field' ? entry.element.name : undefined;
    const rest = patterns.filter(([first]) => first === '*' || first === name).map((pattern) => pattern.slice(1));
    if (rest.length === 0) continue;
    const children = including(entry.children, rest);
    if (entry.isMember || !children.isEmpty) entries.push({ ...entry, children });
  }
  return entries.length === 0 ? EMPTY_SET : new FieldSet(entries);
}
