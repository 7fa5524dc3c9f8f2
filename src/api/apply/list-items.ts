import { TypedError } from './typed-error.ts';
import type { ListType } from './merge-type.ts';
import { keyElement, type KeyField, type PathElement, valueElement } from './path-element.ts';
import { isPlainObject } from '../json/plain-object.ts';

/** All items of a list with the same key; more than one are duplicates. */
export interface ItemGroup {
  readonly element: PathElement;
  readonly items: unknown[];
}

/**
 * The items of a list that is not atomic, by the text of their identity, in the order of first occurrence.
 *
 * Throws a TypedError if an item cannot be identified.
 */
export function groupItems(list: readonly unknown[], type: ListType): Map<string, ItemGroup> {
  const groups = new Map<string, ItemGroup>();
  for (let index = 0; index < list.length; index++) {
    const item = list[index];
    const element = identified(item, type, index);
    const group = groups.get(element.text);
    if (group === undefined) groups.set(element.text, { element, items: [item] });
    else group.items.push(item);
  }
  return groups;
}

/** The identity of an item; throws if it has none. */
export function identified(item: unknown, type: ListType, index: number): PathElement {
  const element = itemElement(item, type);
  if (typeof element === 'string') throw new TypedError([{ path: '', message: `element ${index}: ${element}` }]);
  return element;
}

/** Why an item of a list that is not atomic has no identity, in Kubernetes' words. */
type NoElement = string;

/** The identity of an item within its list, or why it has none. */
export function itemElement(item: unknown, list: ListType): PathElement | NoElement {
  return list.relation === 'map' ? keyOf(item, list) : setItem(item, list);
}

function keyOf(item: unknown, list: ListType): PathElement | NoElement {
  if (item === null) return 'associative list with keys may not have a null element';
  if (!isPlainObject(item)) return 'associative list with keys may not have non-map elements';
  const [only] = list.keys;
  const key = list.keys.length === 1 && only !== undefined && Object.hasOwn(item, only) ? item[only] : undefined;
  if (typeof key === 'string') return list.elements.of(key, (value) => keyElement([{ name: only as string, value }]));
  const fields: KeyField[] = [];
  for (const name of list.keys) {
    const value = Object.hasOwn(item, name) ? item[name] : list.element.map?.field(name)?.default;
    if (value !== undefined) fields.push({ name, value });
  }
  if (fields.length > 0) return keyElement(fields);
  const names = list.keys.map((name) => JSON.stringify(name)).join(' ');
  return `associative list with keys has an element that omits all key fields [${names}] (and doesn't have default values for any key fields)`;
}

function setItem(item: unknown, list: ListType): PathElement | NoElement {
  if (typeof item === 'string') return list.elements.of(item, valueElement);
  if (isPlainObject(item)) return "associative list without keys has an element that's a map type";
  if (Array.isArray(item)) return 'not supported: associative list with lists as elements';
  if (item === null) return "associative list without keys has an element that's an explicit null";
  return valueElement(item);
}
