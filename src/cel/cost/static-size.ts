import { codePointCount, type Expr } from '../syntax/index.ts';
import { isOptionalType, type Type } from '../type-terms/index.ts';
import { type Bounds, exactly, ONE } from './size.ts';

/** The size that an expression shows itself. */
export function exprSize(expr: Expr): Bounds | undefined {
  switch (expr.kind) {
    case 'literal':
      if (expr.literal.kind === 'string') return exactly(codePointCount(expr.literal.value));
      return expr.literal.kind === 'bytes' ? exactly(expr.literal.value.length) : ONE;
    case 'list':
      return exactly(expr.elements.length);
    case 'map':
      return exactly(expr.entries.length);
    default:
      return undefined;
  }
}

/** The size of values of types that are all of the same size. */
export function typeSize(type: Type): Bounds | undefined {
  return isScalar(type) ? ONE : undefined;
}

function isScalar(type: Type): boolean {
  switch (type.kind) {
    case 'bool':
    case 'double':
    case 'duration':
    case 'int':
    case 'timestamp':
    case 'uint':
      return true;
    default:
      return isOptionalType(type) && type.parameters.length > 0 && isScalar(type.element);
  }
}
