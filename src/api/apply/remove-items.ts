import { setOwn } from '../json/index.ts';
import type { FieldSet } from './field-set.ts';
import { itemElement } from './item-element.ts';
import { type ListType, type MapType, memberType, type MergeType } from './merge-type.ts';
import { fieldElement } from './path-element.ts';
import { asList, asMap, isEmptyMap, kindOf } from './value-kind.ts';

/**
 * The value without what `items` names: members, and items of lists that are not atomic. What has nothing left in it
 * becomes null, also where it was empty before.
 */
export function removeItems(value: unknown, items: FieldSet, type: MergeType): unknown {
  switch (kindOf(value, type)) {
    case 'scalar':
      return value;
    case 'map':
      return removeMembers(value, items, type.map as MapType);
    case 'list':
      return removeFromList(value, items, type.list as ListType);
  }
}

function removeMembers(value: unknown, items: FieldSet, type: MapType): unknown {
  const map = asMap(value);
  if (map === undefined || type.isAtomic || isEmptyMap(map)) return null;
  const result: Record<string, unknown> = {};
  let isChanged = false;
  for (const name in map) {
    const member = map[name];
    const field = type.field(name);
    const entry = items.find(field?.element ?? fieldElement(name));
    const isRemoved = entry?.isMember === true;
    const kept =
      entry === undefined || isRemoved ? member : removeItems(member, entry.children, memberType(type, field));
    if (isRemoved || kept !== member) isChanged = true;
    if (!isRemoved) setOwn(result, name, kept);
  }
  if (!isChanged) return value;
  return isEmptyMap(result) ? null : result;
}

function removeFromList(value: unknown, items: FieldSet, type: ListType): unknown {
  const list = asList(value);
  if (list === undefined || type.relation === 'atomic' || list.length === 0) return null;
  const result: unknown[] = [];
  for (const item of list) {
    const element = itemElement(item, type);
    const entry = typeof element === 'string' ? undefined : items.find(element);
    if (entry?.isMember === true) continue;
    result.push(entry === undefined ? item : removeItems(item, entry.children, type.element));
  }
  if (result.length === 0) return null;
  return result.length === list.length && result.every((item, index) => item === list[index]) ? value : result;
}
