import type { PlainObject } from '../json/index.ts';
import type { Struct } from '../schema/schema.ts';
import { checkTyped } from './check-typed.ts';
import { mergeObjects } from './merge-objects.ts';
import { memberType, type MergeType, mergeTypeOf } from './merge-type.ts';
import { fieldElement, indexElement, type PathElement, pathLabel } from './path-element.ts';
import { TypedError } from './typed-error.ts';
import { asList, asMap } from './value-kind.ts';

/** A configuration that cannot be merged, in Kubernetes' words. */
export class MergeError extends Error {
  override readonly name = 'MergeError';
}

/**
 * The object with a configuration merged in, regardless of ownership. The configuration may not contain atomic values, so
 * that nothing is replaced by oversight.
 *
 * Changes neither. Throws a MergeError.
 */
export function mergeConfig(live: PlainObject, config: PlainObject, struct: Struct): PlainObject {
  const type = mergeTypeOf(struct);
  try {
    checkTyped(config, type);
  } catch (cause) {
    if (!(cause instanceof TypedError)) throw cause;
    throw new MergeError(`failed to convert patch object to typed object: ${cause.message}`, { cause });
  }
  const atomics: string[] = [];
  findAtomics(config, type, { path: [], found: atomics });
  if (atomics.length > 0) {
    const paths = atomics.join(', ');
    throw new MergeError(`invalid ApplyConfiguration: may not mutate atomic arrays, maps or structs: ${paths}`);
  }
  return mergeObjects(live, config, type) as PlainObject;
}

interface Search {
  readonly path: readonly PathElement[];
  readonly found: string[];
}

/** Searches declared fields and list items; not values of maps. */
function findAtomics(value: unknown, type: MergeType, { path, found }: Search): void {
  const map = asMap(value);
  const list = asList(value);
  if (map !== undefined && type.map !== undefined) {
    if (type.map.isAtomic) found.push(pathLabel(path));
    for (const name of Object.keys(map)) {
      const field = type.map.field(name);
      if (field === undefined) continue;
      findAtomics(map[name], memberType(type.map, field), { path: [...path, fieldElement(name)], found });
    }
  } else if (list !== undefined && type.list !== undefined) {
    if (type.list.relation === 'atomic') found.push(pathLabel(path));
    for (const [index, item] of list.entries()) {
      findAtomics(item, type.list.element, { path: [...path, indexElement(index)], found });
    }
  }
}
