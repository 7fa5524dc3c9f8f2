// The published door `keelson/cel`: the expression language, and the environments that Kubernetes evaluates it in.
export {
  binary,
  declareFunction,
  type FunctionDeclaration,
  type Implementation,
  member,
  type Overload,
  overload,
  unary,
  variadic,
} from './check/declarations.ts';
export { CheckedExpression } from './checked-expression.ts';
export { type Compiled, Environment, type EnvironmentParts, type Variable } from './environment.ts';
export type { Bindings } from './evaluate/frame.ts';
export type { Library } from './library/library.ts';
export { type Evaluation, Program, type ProgramOptions } from './program.ts';
export { type Issue, Issues, type Location } from './syntax/index.ts';
export {
  BOOL,
  BYTES,
  DOUBLE,
  DURATION,
  DYN,
  INT,
  listOf,
  mapOf,
  NULL,
  STRING,
  TIMESTAMP,
  type Type,
  UINT,
} from './type-terms/index.ts';
export { CelError, Double, Duration, Timestamp, type Value } from './values/index.ts';
export { compileExpression, type ExpressionProblem, type ExpressionResult } from './kubernetes/compile-expression.ts';
export {
  type CompiledRule,
  compileRule,
  isProblem,
  type RuleProgram,
  type RuleTexts,
} from './kubernetes/rule-compiler.ts';
export { admissionEnvironment, type AdmissionOptions } from './kubernetes/admission.ts';
export type { MinorVersion } from '../base/index.ts';
export { baseEnvironment } from './kubernetes/base-environment.ts';
export { ruleEnvironment, type RuleEnvironment, type RuleOptions } from './kubernetes/custom-resource-rules.ts';
export { type StructuralSchema, structuralShape } from '../api/values/index.ts';
