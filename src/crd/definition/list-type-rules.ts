import {
  collectErrors,
  type FieldError,
  forbiddenField,
  invalidValue,
  notSupported,
  required,
} from '../../api/index.ts';
import type { Schema } from './definition.ts';
import { itemSchema } from './inner-schemas.ts';
import type { Ratchets } from './ratchets.ts';
import { printedItems } from './unversioned-values.ts';

/** The types that a schema may name. */
export const SCHEMA_TYPES = ['array', 'boolean', 'integer', 'number', 'object', 'string'];

const LIST_TYPE = 'x-kubernetes-list-type';
const MAP_TYPE = 'x-kubernetes-map-type';
const MAP_KEYS = 'x-kubernetes-list-map-keys';

/** Problems of a list's or object's merge type. */
export function checkMergeTypes(schema: Schema, path: string, ratchets: Ratchets): FieldError[] {
  return [
    ...checkMapType(schema, path),
    ...checkListType(schema, path, ratchets),
    ...checkKeys(schema, path),
    ...(ratchets.requiresMapKeys ? mapKeyErrors(schema, path) : []),
  ];
}

function checkMapType(schema: Schema, path: string): FieldError[] {
  const mapType = schema[MAP_TYPE];
  if (mapType === undefined) return [];
  return [
    ...checkTypeIs('object', schema, { path, because: MAP_TYPE }),
    ...(mapType === 'atomic' || mapType === 'granular'
      ? []
      : [notSupported(`${path}.${MAP_TYPE}`, mapType, ['atomic', 'granular'])]),
  ];
}

function checkTypeIs(
  wanted: string,
  { type = '' }: Schema,
  { path, because }: { readonly path: string; readonly because: string },
): FieldError[] {
  if (type === wanted) return [];
  const detail = `must be ${wanted} if ${because} is specified`;
  return [type === '' ? required(`${path}.type`, detail) : invalidValue(`${path}.type`, type, detail)];
}

function checkListType(schema: Schema, path: string, ratchets: Ratchets): FieldError[] {
  const listType = schema[LIST_TYPE];
  if (listType === undefined) return [];
  const wrongType = checkTypeIs('array', schema, { path, because: LIST_TYPE });
  const split =
    wrongType.length > 0 || !ratchets.requiresAtomicSetItems || !hasSplitSet(schema)
      ? []
      : [splitSetError(schema, path)];
  const unknown = ['atomic', 'set', 'map'].includes(listType)
    ? []
    : [notSupported(`${path}.${LIST_TYPE}`, listType, ['atomic', 'set', 'map'])];
  return [...wrongType, ...split, ...unknown];
}

/** Whether a set has items that are merged part by part: then it would be undefined which items are the same. */
export function hasSplitSet(schema: Schema): boolean {
  const items = itemSchema(schema);
  if (schema[LIST_TYPE] !== 'set' || items === undefined) return false;
  if (items.type === 'array') return items[LIST_TYPE] !== undefined && items[LIST_TYPE] !== 'atomic';
  return items.type === 'object' && items[MAP_TYPE] !== 'atomic';
}

function splitSetError(schema: Schema, path: string): FieldError {
  const items = itemSchema(schema);
  const name = items?.type === 'array' ? LIST_TYPE : MAP_TYPE;
  const detail = 'must be atomic as item of a list with x-kubernetes-list-type=set';
  return invalidValue(`${path}.items.${name}`, items?.[LIST_TYPE] ?? null, detail);
}

function checkKeys(schema: Schema, path: string): FieldError[] {
  const keys = schema[MAP_KEYS] ?? [];
  const listType = schema[LIST_TYPE];
  const errors: FieldError[] = [];
  if (keys.length > 0 && listType !== 'map') {
    const detail = 'must be map if x-kubernetes-list-map-keys is non-empty';
    const at = `${path}.${LIST_TYPE}`;
    errors.push(listType === undefined ? required(at, detail) : invalidValue(at, listType, detail));
  }
  if (listType !== 'map') return errors;
  if (keys.length === 0)
    errors.push(required(`${path}.${MAP_KEYS}`, 'must not be empty if x-kubernetes-list-type is map'));
  const items = itemSchema(schema);
  if (schema.items === undefined) {
    errors.push(required(`${path}.items`, 'must have a schema if x-kubernetes-list-type is map'));
  } else if (items === undefined) {
    const detail = 'must only have a single schema if x-kubernetes-list-type is map';
    errors.push(invalidValue(`${path}.items`, printedItems(schema), detail));
  } else if (items.type !== 'object') {
    const detail = "must be object if parent array's x-kubernetes-list-type is map";
    errors.push(invalidValue(`${path}.items.type`, items.type ?? '', detail));
  } else {
    errors.push(...checkKeyNames(keys, items, path));
  }
  return errors;
}

function checkKeyNames(keys: readonly string[], items: Schema, path: string): FieldError[] {
  const { properties = {} } = items;
  const at = `${path}.${MAP_KEYS}`;
  const seen = new Set<string>();
  return keys.flatMap((key) => {
    const errors: FieldError[] = [];
    const property = Object.hasOwn(properties, key) ? properties[key] : undefined;
    if (property === undefined) {
      errors.push(invalidValue(at, keys, 'entries must all be names of item properties'));
    } else if (property.type === 'array' || property.type === 'object') {
      const detail = "must be a scalar type if parent array's x-kubernetes-list-type is map";
      errors.push(invalidValue(`${path}.items.properties[${key}].type`, items.type, detail));
    }
    if (seen.has(key)) errors.push(invalidValue(at, keys, 'must not contain duplicate entries'));
    seen.add(key);
    return errors;
  });
}

/** Whether a list breaks the rules for keys that were added later than the others. */
export function hasMapKeyErrors(schema: Schema): boolean {
  return collectErrors(() => mapKeyErrors(schema, '')).length > 0;
}

function mapKeyErrors(schema: Schema, path: string): FieldError[] {
  const listType = schema[LIST_TYPE];
  const items = itemSchema(schema);
  if (items === undefined || (listType !== 'set' && listType !== 'map')) return [];
  const errors: FieldError[] = [];
  if (items.nullable === true)
    errors.push(
      forbiddenField(`${path}.items.nullable`, `cannot be nullable when x-kubernetes-list-type is ${listType}`),
    );
  if (listType === 'set') return errors;
  const needed = new Set(items.required ?? []);
  for (const key of schema[MAP_KEYS] ?? []) {
    const property = Object.hasOwn(items.properties ?? {}, key) ? items.properties?.[key] : undefined;
    if (property === undefined) continue;
    const at = `${path}.items.properties[${key}]`;
    const said = 'this property is in x-kubernetes-list-map-keys, so it';
    if (!needed.has(key) && (property.default ?? null) === null)
      errors.push(required(`${at}.default`, `${said} must have a default or be a required property`));
    if (property.nullable === true) errors.push(forbiddenField(`${at}.nullable`, `${said} cannot be nullable`));
  }
  return errors;
}
