import type { Type } from './type.ts';

/** A type as check errors name it: `map(string, int)`, `null`, `!error!`. */
export function formatType(type: Type): string {
  switch (type.kind) {
    case 'any':
    case 'duration':
    case 'null':
    case 'timestamp':
      return type.kind;
    case 'error':
      return '!error!';
    case 'param':
      return type.name;
    default:
      if (type.parameters.length === 0) return type.declaredName;
      return `${type.name}(${type.parameters.map(formatType).join(', ')})`;
  }
}

/** The signature of a call: `(int, string)`, or `string.(int)` with a receiver. */
export function formatSignature(types: readonly Type[], hasReceiver: boolean): string {
  const names = types.map(formatType);
  return hasReceiver ? `${names[0] ?? ''}.(${names.slice(1).join(', ')})` : `(${names.join(', ')})`;
}
