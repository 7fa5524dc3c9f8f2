import type { CheckedExpression } from '../checked-expression.ts';
import type { Environment } from '../environment.ts';
import { ProgramError } from '../evaluate/program-error.ts';
import type { Program } from '../program.ts';
import { formatType, type Type } from '../type-terms/index.ts';
import { limits } from './limits.ts';

/** What is wrong with an expression, in Kubernetes' words. */
export interface ExpressionProblem {
  /** Whose fault it is: `invalid` is the author's. */
  readonly kind: 'invalid' | 'internal';
  readonly detail: string;
}

export type ExpressionResult =
  | { readonly ok: true; readonly expression: CheckedExpression; readonly program: Program }
  | { readonly ok: false; readonly problem: ExpressionProblem };

/** What an expression is wanted for. */
export interface ExpressionUse {
  /** The types that it may have; `any` allows all. */
  readonly returnTypes: readonly Type[];
  /** Allows a type that is not known before evaluation, too. */
  readonly allows?: (type: Type) => boolean;
  /** The words for a type that is none of them; by default those of admission. */
  readonly wrongType?: (wanted: readonly Type[], got: Type) => string;
  readonly costLimit?: number;
}

/** Compiles an expression for one of the uses that Kubernetes has for them. */
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

/** The type of null has another name here than in the messages of the checker. */
function typeName(type: Type): string {
  return type.kind === 'null' ? 'null_type' : formatType(type);
}
