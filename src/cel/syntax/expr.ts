import type { Type } from '../type-terms/index.ts';

/** A constant in the source: JSON scalars are themselves, 64-bit integers beyond 2^53 are bigints. */
export type LiteralValue =
  | { readonly kind: 'null' }
  | { readonly kind: 'bool'; readonly value: boolean }
  | { readonly kind: 'int'; readonly value: number | bigint }
  | { readonly kind: 'uint'; readonly value: bigint }
  | { readonly kind: 'double'; readonly value: number }
  | { readonly kind: 'string'; readonly value: string }
  | { readonly kind: 'bytes'; readonly value: Uint8Array };

/** What every node has. The checker fills in `type`. */
interface Node {
  /**
   * Where messages about the node point: the operator of a call, the dot of a selection, otherwise the first character.
   */
  readonly offset: number;
  /** The static type; set by the checker. */
  type?: Type;
}

export interface LiteralExpr extends Node {
  readonly kind: 'literal';
  readonly literal: LiteralValue;
}

export interface IdentExpr extends Node {
  readonly kind: 'ident';
  /** The full name once checked. */
  name: string;
  /** Set by the checker when the name is a type or an enum value. */
  constant?: Type | number;
}

export interface SelectExpr extends Node {
  readonly kind: 'select';
  readonly operand: Expr;
  readonly field: string;
  /** `has(operand.field)`. */
  readonly isTest: boolean;
  /** Set by the checker when the whole selection is the name of a variable or type. */
  resolved?: IdentExpr;
}

export interface CallExpr extends Node {
  readonly kind: 'call';
  /** The full name once checked. */
  name: string;
  /** Undefined for global calls; the checker clears it when it was only a prefix of the name. */
  target: Expr | undefined;
  readonly args: readonly Expr[];
  /** The candidate overloads; set by the checker. */
  overloads?: readonly string[];
}

export interface ListExpr extends Node {
  readonly kind: 'list';
  readonly elements: readonly Expr[];
  /** Positions of elements written with `?`. */
  readonly optionals: ReadonlySet<number>;
}

export interface MapEntry {
  readonly offset: number;
  readonly key: Expr;
  readonly value: Expr;
  readonly isOptional: boolean;
}

export interface MapExpr extends Node {
  readonly kind: 'map';
  readonly entries: readonly MapEntry[];
}

export interface StructField {
  readonly offset: number;
  readonly name: string;
  readonly value: Expr;
  readonly isOptional: boolean;
}

export interface StructExpr extends Node {
  readonly kind: 'struct';
  /** The full name once checked. */
  typeName: string;
  readonly fields: readonly StructField[];
}

/** A loop over a list or map; macros expand to these. */
export interface ComprehensionExpr extends Node {
  readonly kind: 'comprehension';
  readonly range: Expr;
  /** The element of a list or key of a map; with two variables, the index of a list. */
  readonly variable: string;
  /** The element of a list or value of a map, with two variables. */
  readonly variable2: string | undefined;
  readonly accumulator: string;
  readonly initial: Expr;
  readonly condition: Expr;
  readonly step: Expr;
  readonly result: Expr;
  /** Set for the loops of macros, which are evaluated directly instead of by condition, step and result. */
  readonly form?: LoopForm;
}

/** The meaning of a macro's loop; its expressions are the ones inside the step. */
export type LoopForm =
  | { readonly kind: 'all' | 'exists' | 'existsOne'; readonly predicate: Expr }
  | { readonly kind: 'collect'; readonly element: Expr; readonly filter: Expr | undefined };

export type Expr =
  | LiteralExpr
  | IdentExpr
  | SelectExpr
  | CallExpr
  | ListExpr
  | MapExpr
  | StructExpr
  | ComprehensionExpr;

/** `a.b.c` as a name, if the expression consists of identifiers and dots only. */
export function qualifiedName(expr: Expr): string | undefined {
  if (expr.kind === 'ident') return expr.name;
  if (expr.kind !== 'select' || expr.isTest) return undefined;
  const prefix = qualifiedName(expr.operand);
  return prefix === undefined ? undefined : `${prefix}.${expr.field}`;
}

/** The direct subexpressions, in the order in which they were written or generated. */
export function childrenOf(expr: Expr): readonly Expr[] {
  switch (expr.kind) {
    case 'literal':
    case 'ident':
      return [];
    case 'select':
      return [expr.operand];
    case 'call':
      return expr.target === undefined ? expr.args : [expr.target, ...expr.args];
    case 'list':
      return expr.elements;
    case 'map':
      return expr.entries.flatMap(({ key, value }) => [key, value]);
    case 'struct':
      return expr.fields.map(({ value }) => value);
    case 'comprehension':
      return [expr.range, expr.initial, expr.condition, expr.step, expr.result];
  }
}
