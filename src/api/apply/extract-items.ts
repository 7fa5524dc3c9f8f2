import { type PlainObject, setOwn } from '../json/index.ts';
import { EMPTY_SET, type FieldSet, FieldSetBuilder } from './field-set.ts';
import { union } from './field-set-algebra.ts';
import { itemElement } from './item-element.ts';
import { type ListType, type MapType, memberType, type MergeType } from './merge-type.ts';
import { fieldElement } from './path-element.ts';
import { asList, asMap, isEmptyMap, kindOf } from './value-kind.ts';

/**
 * Only what `items` names of a value: what a manager would have to apply to keep what it owns. Items of lists come with
 * the fields that are their key.
 */
export function extractItems(value: unknown, items: FieldSet, type: MergeType): unknown {
  switch (kindOf(value, type)) {
    case 'scalar':
      return value;
    case 'map':
      return extractMembers(value, items, type.map as MapType);
    case 'list':
      return extractFromList(value, items, type.list as ListType);
  }
}

function extractMembers(value: unknown, items: FieldSet, type: MapType): unknown {
  const map = asMap(value);
  if (map === undefined || type.isAtomic || isEmptyMap(map)) return value;
  const result: PlainObject = {};
  for (const name in map) {
    const field = type.field(name);
    const entry = items.find(field?.element ?? fieldElement(name));
    if (entry !== undefined) setOwn(result, name, extractItems(map[name], entry.children, memberType(type, field)));
  }
  return result;
}

function extractFromList(value: unknown, items: FieldSet, type: ListType): unknown {
  const list = asList(value);
  if (list === undefined || type.relation === 'atomic' || list.length === 0) return value;
  const result: unknown[] = [];
  for (const item of list) {
    const element = itemElement(item, type);
    const entry = typeof element === 'string' ? undefined : items.find(element);
    if (entry !== undefined) result.push(extractItems(item, union(entry.children, keyFields(type)), type.element));
  }
  return result;
}

function keyFields({ keys }: ListType): FieldSet {
  const builder = new FieldSetBuilder();
  for (const key of keys) builder.add(fieldElement(key), true, EMPTY_SET);
  return builder.finish();
}
