import { itemElement } from './item-element.ts';
import type { ListType } from './merge-type.ts';
import type { PathElement } from './path-element.ts';
import { TypedError } from './typed-error.ts';

/** All items of a list that have the same key; more than one are duplicates. */
export interface ItemGroup {
  readonly element: PathElement;
  readonly items: unknown[];
}

/**
 * The items of a list that is not atomic, by the text of what identifies them, in the order of first occurrence.
 *
 * Ends: with a TypedError when an item cannot be identified.
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

/** What identifies the item; throws when nothing does. */
export function identified(item: unknown, type: ListType, index: number): PathElement {
  const element = itemElement(item, type);
  if (typeof element === 'string') throw new TypedError([{ path: '', message: `element ${index}: ${element}` }]);
  return element;
}
