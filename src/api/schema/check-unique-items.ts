import { duplicate, type FieldError, invalidValue } from '../field-error.ts';
import { isPlainObject, type PlainObject } from '../json/plain-object.ts';
import type { ListShape, Shape } from './schema.ts';
import { ShapeSearch } from './shape-search.ts';

const unique = new ShapeSearch(
  (shape) => shape.kind === 'list' && (shape.listType === 'set' || shape.listType === 'map'),
);

/** The duplicate items of `set` and `map` lists in a canonical value. */
export function checkUniqueItems(value: unknown, shape: Shape, path = ''): FieldError[] {
  if (!unique.has(shape)) return [];
  if (Array.isArray(value)) return shape.kind === 'list' ? checkList(value, shape, path) : [];
  if (!isPlainObject(value)) return [];
  if (shape.kind === 'map') {
    return Object.entries(value).flatMap(([key, item]) => checkUniqueItems(item, shape.value, `${path}[${key}]`));
  }
  if (shape.kind !== 'struct' || shape.struct.isStructural !== true) return [];
  return Object.entries(value).flatMap(([name, item]) => {
    const field = shape.struct.field(name);
    return field === undefined ? [] : checkUniqueItems(item, field.shape, path === '' ? name : `${path}.${name}`);
  });
}

function checkList(items: readonly unknown[], shape: ListShape, path: string): FieldError[] {
  const inside = items.flatMap((item, index) => checkUniqueItems(item, shape.element, `${path}[${index}]`));
  if (shape.listType === 'set') return [...repeated(items, path), ...inside];
  if (shape.listType !== 'map') return inside;
  const stray = items.findIndex((item) => item !== null && !isPlainObject(item));
  if (stray >= 0) {
    const detail = 'must be an object for an array of list-type map';
    return [invalidValue(`${path}[${stray}]`, items[stray], detail), ...inside];
  }
  const keys = shape.keys ?? [];
  return [
    ...repeated(
      items.map((item) => keyOf(item as PlainObject | null, keys)),
      path,
    ),
    ...inside,
  ];
}

function keyOf(item: PlainObject | null, keys: readonly string[]): PlainObject {
  const given = keys.filter((key) => item !== null && Object.hasOwn(item, key)).sort();
  return Object.fromEntries(given.map((key) => [key, item?.[key]]));
}

/** Each duplicate value is reported once, at its second place. */
function repeated(values: readonly unknown[], path: string): FieldError[] {
  const times = new Map<string, number>();
  return values.flatMap((value, index) => {
    const text = JSON.stringify(value, (_, item: unknown) => (typeof item === 'bigint' ? `${item}n` : item));
    const seen = times.get(text) ?? 0;
    times.set(text, seen + 1);
    return seen === 1 ? [duplicate(`${path}[${index}]`, value)] : [];
  });
}
