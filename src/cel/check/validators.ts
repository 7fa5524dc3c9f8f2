import { compilePattern } from '../library/regex.ts';
import { checkFormat } from '../library/format/index.ts';
import { childrenOf, type Expr, type Issues, type ListExpr, type MapExpr } from '../syntax/index.ts';
import { formatType, type Type } from '../type-terms/index.ts';

/** Looks through a checked expression for mistakes that types do not show. */
export type Validator = (root: Expr, issues: Issues) => void;

/** Every node with its ancestors, outermost first. */
function* walk(
  expr: Expr,
  around: readonly Expr[] = [],
): Iterable<{ readonly expr: Expr; readonly around: readonly Expr[] }> {
  yield { expr, around };
  if (expr.kind === 'select' && expr.resolved !== undefined) return;
  for (const child of childrenOf(expr)) yield* walk(child, [...around, expr]);
}

/** `duration('x')` and `timestamp('x')` with invalid literals. */
export function validateLiteralCalls(name: string, isFine: (text: Expr) => boolean): Validator {
  return (root, issues) => {
    for (const { expr } of walk(root)) {
      if (expr.kind !== 'call' || expr.name !== name) continue;
      const literal = expr.args[0];
      if (literal?.kind === 'literal' && !isFine(literal)) issues.report(literal.offset, `invalid ${name} argument`);
    }
  };
}

/** Patterns of `matches` that do not compile. */
export const validateRegexLiterals: Validator = validateLiteralCalls('matches', (literal) => {
  if (literal.kind !== 'literal' || literal.literal.kind !== 'string') return true;
  return compilePattern(literal.literal.value).ok;
});

/** Lists and maps of mixed types, except in the arguments of `format`. */
export const validateHomogeneousLiterals: Validator = (root, issues) => {
  const literals = [...walk(root)].filter(
    ({ around }) => !around.some((each) => each.kind === 'call' && each.name === 'format'),
  );
  for (const { expr } of literals) if (expr.kind === 'list') validateList(expr, issues);
  for (const { expr } of literals) if (expr.kind === 'map') validateMap(expr, issues);
};

function validateList(list: ListExpr, issues: Issues): void {
  let expected: Type | undefined;
  for (const [at, element] of list.elements.entries()) {
    const type = valueType(element, list.optionals.has(at));
    if (expected === undefined || expected.kind === 'none') {
      expected = type;
    } else if (!expected.isEquivalent(type)) {
      reportMismatch(element, [expected, type], issues);
      return;
    }
  }
}

function validateMap(map: MapExpr, issues: Issues): void {
  let expected: readonly [Type, Type] | undefined;
  for (const { key, value, isOptional } of map.entries) {
    const types = [key.type as Type, valueType(value, isOptional)] as const;
    if (expected === undefined) {
      expected = types;
      continue;
    }
    if (!expected[0].isEquivalent(types[0])) reportMismatch(key, [expected[0], types[0]], issues);
    if (!expected[1].isEquivalent(types[1])) reportMismatch(value, [expected[1], types[1]], issues);
  }
}

function valueType(expr: Expr, isOptional: boolean): Type {
  const type = expr.type as Type;
  return isOptional && type.parameters.length > 0 ? type.element : type;
}

function reportMismatch(expr: Expr, [expected, found]: readonly [Type, Type], issues: Issues): void {
  issues.report(expr.offset, `expected type '${formatType(expected)}' but found '${formatType(found)}'`);
}

/** `'…'.format([…])` whose clauses and arguments do not match. */
export const validateFormats: Validator = (root, issues) => {
  for (const { expr } of walk(root)) {
    if (expr.kind !== 'call' || expr.name !== 'format' || expr.args.length !== 1) continue;
    const [args] = expr.args;
    if (expr.target?.kind !== 'literal' || expr.target.literal.kind !== 'string' || args?.kind !== 'list') continue;
    const mistake = checkFormat(expr, expr.target.literal.value, args.elements);
    if (mistake !== undefined) issues.report(mistake.at.offset, mistake.message);
  }
};
