import { type FieldEntry, FieldSet } from './field-set.ts';
import { memberType, type MergeType } from './merge-type.ts';
import type { PathElement } from './path-element.ts';

/** The set with the fields of structs that lead to its paths added: configurations own what is in them, not the way there. */
export function withNamedFields(set: FieldSet, type: MergeType): FieldSet {
  let isChanged = false;
  const entries = set.entries.map((entry): FieldEntry => {
    if (entry.children.isEmpty) return entry;
    const { element, isMember, children } = entry;
    const isNamed = element.kind === 'field' && type.map?.field(element.name) !== undefined;
    const below = withNamedFields(children, typeBelow(element, type));
    if (below === children && (isMember || !isNamed)) return entry;
    isChanged = true;
    return { element, isMember: isMember || isNamed, children: below };
  });
  return isChanged ? new FieldSet(entries) : set;
}

const NO_TYPE: MergeType = {};

/** Of what type a path goes on after an element; one that nothing is known of where the two do not fit. */
export function typeBelow(element: PathElement, { map, list }: MergeType): MergeType {
  if (element.kind === 'field' && map !== undefined) return memberType(map, map.field(element.name));
  return element.kind === 'key' && list !== undefined ? list.element : NO_TYPE;
}
