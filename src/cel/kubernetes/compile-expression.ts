import type { CheckedExpression } from '../checked-expression.ts';
import type { Environment } from '../environment.ts';
import { ProgramError } from '../evaluate/program-error.ts';
import type { Program } from '../program.ts';
import { formatType, type Type } from '../type-terms/index.ts';
import { limits } from './limits.ts';

/** A problem with an expression, in Kubernetes' words. */
export interface ExpressionProblem {
  /** Who is to blame: `invalid` is the author's mistake. */
  readonly kind: 'invalid' | 'internal';
  readonly detail: string;
}

/** A compiled expression, or the problem that prevents it. */
export type ExpressionResult =
  | { readonly ok: true; readonly expression: CheckedExpression; readonly program: Program }
  | { readonly ok: false; readonly problem: ExpressionProblem };

/** The requirements of the place where an expression is used. */
export interface ExpressionUse {
  /** The types that it may have; `any` allows all. */
  readonly returnTypes: readonly Type[];
  /** Also accepts a type that is only known at evaluation. */
  readonly allows?: (type: Type) => boolean;
  /** The message for a wrong type; default: admission's. */
  readonly wrongType?: (wanted: readonly Type[], got: Type) => string;
  readonly costLimit?: number;
}

/** Compiles an expression for one of Kubernetes' uses of CEL. */
export function compileExpression(environment: Environment, text: string, use: ExpressionUse): ExpressionResult {
  const compiled = environment.compile(text);
  if (!compiled.ok) return refused(`compilation failed: ${compiled.issues.toString()}`);
  const { expression } = compiled;
  const { returnTypes, wrongType = wrongAdmissionType } = use;
  const isWanted = returnTypes.some((type) => type.kind === 'any' || type.isExactly(expression.type));
  if (!isWanted && use.allows?.(expression.type) !== true) return refused(wrongType(returnTypes, expression.type));
  try {
    const program = expression.program({ costLimit: use.costLimit ?? limits.expressionCost });
    return { ok: true, expression, program };
  } catch (error) {
    if (!(error instanceof ProgramError)) throw error;
    return refused(`program instantiation failed: ${error.message}`, 'internal');
  }
}

function refused(detail: string, kind: ExpressionProblem['kind'] = 'invalid'): ExpressionResult {
  return { ok: false, problem: { kind, detail } };
}

function wrongAdmissionType(wanted: readonly Type[], got: Type): string {
  return `must evaluate to ${nameTypes(wanted)} but got ${typeName(got)}`;
}

/** `bool`, or `one of [string list(string)]`. */
export function nameTypes(types: readonly Type[]): string {
  const names = types.map(typeName);
  return names.length === 1 ? (names[0] as string) : `one of [${names.join(' ')}]`;
}

/** Here the null type has another name than in the checker's messages. */
function typeName(type: Type): string {
  return type.kind === 'null' ? 'null_type' : formatType(type);
}
