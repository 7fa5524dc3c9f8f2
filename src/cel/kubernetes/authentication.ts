import type { Environment } from '../environment.ts';
import type { Type } from '../type-terms/index.ts';
import { userInfoType } from './admission-types.ts';
import { baseEnvironment } from './base-environment.ts';
import { compileExpression, type ExpressionResult, nameTypes } from './compile-expression.ts';
import { DeclProvider } from './decl-provider.ts';
import { declared, mapType, UNBOUNDED } from './decl-type.ts';

/** The environment of claim mappings and claim rules (`claims`), or of rules about users (`user`). */
export function authenticationEnvironment(variable: 'claims' | 'user'): Environment {
  const type = variable === 'user' ? userInfoType() : mapType(declared.string, declared.any, UNBOUNDED);
  return baseEnvironment().extend({
    variables: [{ name: variable, type: type.type }],
    types: [new DeclProvider([type], { allowsKeywords: true })],
  });
}

/** Compiles an expression of an authentication configuration. */
export function compileAuthenticationExpression(
  environment: Environment,
  text: string,
  returnTypes: readonly Type[],
): ExpressionResult {
  return compileExpression(environment, text, {
    returnTypes,
    wrongType: (wanted) => `must evaluate to ${nameTypes(wanted)}`,
  });
}
