import { EMPTY_SET, type FieldSet, FieldSetBuilder } from './field-set.ts';
import { groupItems } from './list-items.ts';
import { type ListType, type MapType, memberType, type MergeType } from './merge-type.ts';
import { fieldElement } from './path-element.ts';
import { asList, asMap, isEmptyMap, kindOf } from './value-kind.ts';

/**
 * What a configuration says something about: all leaves, list items and map entries, but not the fields of structs that
 * only lead to them.
 */
export function setOf(value: unknown, type: MergeType): FieldSet {
  switch (kindOf(value, type)) {
    case 'scalar':
      return EMPTY_SET;
    case 'map':
      return setOfMembers(value, type.map as MapType);
    case 'list':
      return setOfItems(value, type.list as ListType);
  }
}

function setOfMembers(value: unknown, type: MapType): FieldSet {
  const map = asMap(value);
  if (map === undefined || type.isAtomic) return EMPTY_SET;
  const builder = new FieldSetBuilder();
  for (const name in map) {
    const member = map[name];
    if (member === undefined) continue;
    const field = type.field(name);
    const below = setOf(member, memberType(type, field));
    if (field === undefined) builder.add(fieldElement(name), true, below);
    else builder.add(field.element, isLeaf(member, field.type), below);
  }
  return builder.finish();
}

/** Whether a value is owned by the path to it, and not only by those below it. */
function isLeaf(value: unknown, type: MergeType): boolean {
  if (value === null) return true;
  switch (kindOf(value, type)) {
    case 'scalar':
      return true;
    case 'map':
      return type.map?.isAtomic === true || isEmptyMap(asMap(value));
    case 'list':
      return type.list?.relation === 'atomic';
  }
}

function setOfItems(value: unknown, type: ListType): FieldSet {
  const list = asList(value);
  if (list === undefined || type.relation === 'atomic') return EMPTY_SET;
  const builder = new FieldSetBuilder();
  for (const { element, items } of groupItems(list, type).values()) {
    builder.add(element, true, items.length === 1 ? setOf(items[0], type.element) : EMPTY_SET);
  }
  return builder.finish();
}
