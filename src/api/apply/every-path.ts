import { EMPTY_SET, type FieldSet, FieldSetBuilder } from './field-set.ts';
import { groupItems } from './list-items.ts';
import { type ListType, type MapType, memberType, type MergeType } from './merge-type.ts';
import { fieldElement } from './path-element.ts';
import { asList, asMap, kindOf } from './value-kind.ts';

/**
 * Every path below a value, those of objects and lists included: what appears when the value does, and goes with it.
 * Items that have the same key are one path, with nothing below it.
 */
export function everyPath(value: unknown, type: MergeType): FieldSet {
  switch (kindOf(value, type)) {
    case 'scalar':
      return EMPTY_SET;
    case 'map':
      return everyMember(value, type.map as MapType);
    case 'list':
      return everyItem(value, type.list as ListType);
  }
}

function everyMember(value: unknown, type: MapType): FieldSet {
  const map = asMap(value);
  if (map === undefined || type.isAtomic) return EMPTY_SET;
  const builder = new FieldSetBuilder();
  for (const name in map) {
    const member = map[name];
    if (member === undefined) continue;
    const field = type.field(name);
    builder.add(field?.element ?? fieldElement(name), true, everyPath(member, memberType(type, field)));
  }
  return builder.finish();
}

function everyItem(value: unknown, type: ListType): FieldSet {
  const list = asList(value);
  if (list === undefined || type.relation === 'atomic') return EMPTY_SET;
  const builder = new FieldSetBuilder();
  for (const { element, items } of groupItems(list, type).values()) {
    builder.add(element, true, items.length === 1 ? everyPath(items[0], type.element) : EMPTY_SET);
  }
  return builder.finish();
}
