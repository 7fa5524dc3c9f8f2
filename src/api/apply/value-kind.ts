import type { MergeType } from './merge-type.ts';

/** Which part of a type counts for a value. */
export type ValueKind = 'map' | 'scalar' | 'list';

/**
 * The part of the type that the value is of. A value of another kind, or null, is taken for what the type has first;
 * that it does not fit is found out where it is used.
 */
export function kindOf(value: unknown, type: MergeType): ValueKind {
  const own = ownKind(value);
  if (own !== undefined && type[own] !== undefined) return own;
  return type.map !== undefined ? 'map' : type.scalar !== undefined ? 'scalar' : 'list';
}

function ownKind(value: unknown): ValueKind | undefined {
  switch (typeof value) {
    case 'string':
    case 'number':
    case 'bigint':
    case 'boolean':
      return 'scalar';
    case 'object':
      return value === null ? undefined : Array.isArray(value) ? 'list' : 'map';
    default:
      return undefined;
  }
}

/** The object, or undefined where there is something else: null stands for an empty one. */
export function asMap(value: unknown): Readonly<Record<string, unknown>> | undefined {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    ? (value as Readonly<Record<string, unknown>>)
    : undefined;
}

export function asList(value: unknown): readonly unknown[] | undefined {
  return Array.isArray(value) ? (value as readonly unknown[]) : undefined;
}

export function isEmptyMap(map: Readonly<Record<string, unknown>> | undefined): boolean {
  for (const key in map) if (map[key] !== undefined) return false;
  return true;
}

/** A member of an object that need not be there; undefined then, whatever the prototype has. */
export function memberOf(map: Readonly<Record<string, unknown>> | undefined, name: string): unknown {
  return map !== undefined && Object.hasOwn(map, name) ? map[name] : undefined;
}
