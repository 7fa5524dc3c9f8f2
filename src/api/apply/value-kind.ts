import type { MergeType } from './merge-type.ts';

/** Which part of a type applies to a value. */
export type ValueKind = 'map' | 'scalar' | 'list';

/**
 * The part of the type that applies to the value. For a value of another kind, or null, it is the first part that the type
 * has; the mismatch is found where the value is used.
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

/** The object, or undefined for another value; null counts as an empty object. */
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

/** An own member of an object, or undefined; never inherited from the prototype. */
export function memberOf(map: Readonly<Record<string, unknown>> | undefined, name: string): unknown {
  return map !== undefined && Object.hasOwn(map, name) ? map[name] : undefined;
}
