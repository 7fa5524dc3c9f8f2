import { type PlainObject, setOwn } from '../json/index.ts';
import { isPlainObject } from '../json/plain-object.ts';
import type { ApiObject } from '../object.ts';
import type { Struct } from '../schema/schema.ts';
import { decodeManagedFields } from './field-managers.ts';
import { type ListType, type MapType, memberType, type MergeType, mergeTypeOf } from './merge-type.ts';
import { EMPTY_SET, type FieldSet, FieldSetBuilder } from './field-set.ts';
import { union } from './field-set-algebra.ts';
import { itemElement } from './list-items.ts';
import { fieldElement } from './path-element.ts';
import { asList, asMap, isEmptyMap, kindOf } from './value-kind.ts';

/**
 * The configuration that a manager has applied and still owns, to be changed and applied again. For an object that the
 * manager has not applied, it only identifies the object.
 *
 * Throws a FieldsError if the object's managedFields are malformed.
 */
export function extractApplied(
  object: ApiObject,
  type: Struct,
  { manager, subresource = '' }: { readonly manager: string; readonly subresource?: string },
): PlainObject {
  const { kind, apiVersion, metadata } = object;
  const { name, namespace } = metadata;
  const applier = [...decodeManagedFields(metadata.managedFields).values()].find(
    (one) => one.operation === 'Apply' && one.name === manager && one.subresource === subresource,
  );
  const extracted = applier === undefined ? {} : extractItems(object, applier.set, mergeTypeOf(type));
  const config = isPlainObject(extracted) ? extracted : {};
  const own = isPlainObject(config['metadata']) ? config['metadata'] : {};
  const place = { ...(name === undefined ? {} : { name }), ...(namespace === undefined ? {} : { namespace }) };
  return { apiVersion, kind, ...config, metadata: { ...place, ...own } };
}

/**
 * The part of a value that `items` names: what a manager has to apply to keep what it owns. List items include their key
 * fields.
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
