import { EMPTY_SET, type FieldSet, FieldSetBuilder } from './field-set.ts';
import { groupItems } from './list-items.ts';
import { type ListType, type MapType, memberType, type MergeType } from './merge-type.ts';
import { fieldElement } from './path-element.ts';
import { asList, asMap, isEmptyMap, kindOf } from './value-kind.ts';

/** Whether a set includes the struct fields that only lead to other paths. */
type WayThere = 'with-way' | 'without-way';

/**
 * The fields that a configuration sets: all leaves, list items and map entries, but not the struct fields that only lead to
 * them.
 */
export function setOf(value: unknown, type: MergeType): FieldSet {
  return pathsBelow(value, type, 'without-way');
}

/**
 * Every path below a value, including those of objects and lists: what is added and removed with the value. Items with the
 * same key are one path, with nothing below it.
 */
export function everyPath(value: unknown, type: MergeType): FieldSet {
  return pathsBelow(value, type, 'with-way');
}

function pathsBelow(value: unknown, type: MergeType, way: WayThere): FieldSet {
  switch (kindOf(value, type)) {
    case 'scalar':
      return EMPTY_SET;
    case 'map':
      return membersOf(value, type.map as MapType, way);
    case 'list':
      return itemsOf(value, type.list as ListType, way);
  }
}

function membersOf(value: unknown, type: MapType, way: WayThere): FieldSet {
  const map = asMap(value);
  if (map === undefined || type.isAtomic) return EMPTY_SET;
  const builder = new FieldSetBuilder();
  for (const name in map) {
    const member = map[name];
    if (member === undefined) continue;
    const field = type.field(name);
    const isMember = field === undefined || way === 'with-way' || isLeaf(member, field.type);
    builder.add(field ?? fieldElement(name), isMember, pathsBelow(member, memberType(type, field), way));
  }
  return builder.finish(type.recent);
}

/** Whether a value is owned by its own path, and not only by those below it. */
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

function itemsOf(value: unknown, type: ListType, way: WayThere): FieldSet {
  const list = asList(value);
  if (list === undefined || type.relation === 'atomic') return EMPTY_SET;
  const builder = new FieldSetBuilder();
  for (const { element, items } of groupItems(list, type).values()) {
    builder.add(element, true, items.length === 1 ? pathsBelow(items[0], type.element, way) : EMPTY_SET);
  }
  return builder.finish(type.recent);
}
