import type { CheckedExpression } from '../checked-expression.ts';
import { ProgramError } from '../evaluate/program-error.ts';
import type { Program } from '../program.ts';
import { BOOL, STRING, type Type } from '../type-terms/index.ts';
import type { ExpressionProblem } from './compile-expression.ts';
import type { RuleEnvironment } from './custom-resource-rules.ts';
import { limits } from './limits.ts';

/** The expressions of a rule in a CustomResourceDefinition's schema. */
export interface RuleTexts {
  readonly rule: string;
  readonly messageExpression?: string;
  readonly optionalOldSelf?: boolean;
}

/** A rule or its message, ready to be evaluated. */
export interface RuleProgram {
  readonly program: Program;
  /** Max cost of one evaluation. */
  readonly maxCost: bigint;
}

/** A validation rule that is ready to be evaluated, with its message. */
export interface CompiledRule extends RuleProgram {
  /** Whether it uses `oldSelf`: then it applies to updates only. */
  readonly usesOldSelf: boolean;
  readonly message: RuleProgram | ExpressionProblem | undefined;
}

/** Whether compilation found a problem. */
export function isProblem<T extends object>(result: T | ExpressionProblem): result is ExpressionProblem {
  return 'detail' in result;
}

/**
 * Compiles a rule and its message expression, which may have to work in different versions. Undefined for a blank rule,
 * which is left to validation.
 */
export function compileRule(
  texts: RuleTexts,
  rules: RuleEnvironment,
  messageRules: RuleEnvironment = rules,
): CompiledRule | ExpressionProblem | undefined {
  if (texts.rule.trim() === '') return undefined;
  const compiled = compilePart(texts.rule, texts, { rules, wanted: BOOL, words: ruleWords });
  if (isProblem(compiled)) return compiled;
  const { messageExpression = '' } = texts;
  const message =
    messageExpression === ''
      ? undefined
      : compilePart(messageExpression, texts, { rules: messageRules, wanted: STRING, words: messageWords });
  return { ...compiled, usesOldSelf: compiled.expression.mentions('oldSelf'), message };
}

interface Words {
  readonly compilation: string;
  readonly type: string;
  readonly instantiation: string;
}

const ruleWords: Words = {
  compilation: 'compilation failed',
  type: 'cel expression must evaluate to a bool',
  instantiation: 'program instantiation failed',
};

const messageWords: Words = {
  compilation: 'messageExpression compilation failed',
  type: 'messageExpression must evaluate to a string',
  instantiation: 'messageExpression instantiation failed',
};

function compilePart(
  text: string,
  { optionalOldSelf }: RuleTexts,
  { rules, wanted, words }: { readonly rules: RuleEnvironment; readonly wanted: Type; readonly words: Words },
): (RuleProgram & { readonly expression: CheckedExpression }) | ExpressionProblem {
  const environment = optionalOldSelf === true ? rules.withOptionalOldSelf : rules.environment;
  const compiled = environment.compile(text);
  if (!compiled.ok) return invalid(`${words.compilation}: ${compiled.issues.toString()}`);
  const { expression } = compiled;
  if (!expression.type.isExactly(wanted)) return invalid(words.type);
  try {
    const program = expression.program({ costLimit: limits.expressionCost });
    return { expression, program, maxCost: expression.estimateCost(rules.sizes).max };
  } catch (error) {
    if (error instanceof ProgramError) return invalid(`${words.instantiation}: ${error.message}`);
    throw error;
  }
}

function invalid(detail: string): ExpressionProblem {
  return { kind: 'invalid', detail };
}
