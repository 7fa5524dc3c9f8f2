import { isPlainObject, type PlainObject } from '../json/plain-object.ts';

/** Replaces or deletes the object it is in, or deletes or replaces list items. */
export const DIRECTIVE = '$patch';
/** Lists the only members that an object keeps. */
export const RETAIN_KEYS = '$retainKeys';
/** Followed by a slash and the name of a list of scalars: the items to remove. */
export const DELETE_FROM_LIST = '$deleteFromPrimitiveList';
/** Followed by a slash and the name of a list: its items in their final order. */
export const ELEMENT_ORDER = '$setElementOrder';

/** Stands for a value that is to be omitted. */
export const DROPPED: unique symbol = Symbol('dropped');

/** The value without objects that are marked by a directive, or DROPPED if it is one itself. Changes `value` in place. */
export function withoutDirectives(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutDirectives).filter((item) => item !== DROPPED);
  if (!isPlainObject(value)) return value;
  if (Object.hasOwn(value, DIRECTIVE)) return DROPPED;
  for (const name of Object.keys(value)) {
    const kept = withoutDirectives(value[name]);
    if (kept === DROPPED) delete value[name];
    else if (kept !== value[name]) value[name] = kept;
  }
  return value;
}

/** Removes null members from all objects in a value, in place. */
export function discardNulls(value: unknown): void {
  if (Array.isArray(value)) {
    for (const item of value) discardNulls(item);
  } else if (isPlainObject(value)) {
    for (const name of Object.keys(value)) {
      if (value[name] === null) delete value[name];
      else discardNulls(value[name]);
    }
  }
}

/** The name after the slash of a directive's key; undefined if the key has another form. */
export function listNameIn(key: string, directive: string): string | undefined {
  const slash = key.indexOf('/');
  return slash >= 0 && key.slice(0, slash) === directive ? key.slice(slash + 1) : undefined;
}

export function isMarked(item: unknown): item is PlainObject {
  return isPlainObject(item) && Object.hasOwn(item, DIRECTIVE);
}
