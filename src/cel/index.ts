// What other folders may use: the expression language, and the environments that Kubernetes evaluates it in.
export { CheckedExpression } from './checked-expression.ts';
export { type Compiled, Environment, type EnvironmentParts, type Variable } from './environment.ts';
export type { CostRange, SizeEstimator } from './cost/estimate.ts';
export type { Bindings } from './evaluate/frame.ts';
export { ProgramError } from './evaluate/program-error.ts';
export type { Shape } from './evaluate/shape.ts';
export { type Evaluation, Program, type ProgramOptions } from './program.ts';
export { type Issue, Issues, type Location } from './syntax/index.ts';
export * from './types/index.ts';
export * from './values/index.ts';

export { admissionEnvironment, type AdmissionOptions } from './kubernetes/admission.ts';
export { baseEnvironment, type MinorVersion, STORED } from './kubernetes/base-environment.ts';
export { ruleEnvironment, type RuleEnvironment, type RuleOptions } from './kubernetes/custom-resource-rules.ts';
export {
  type AccessAnswer,
  type AccessOracle,
  type AccessQuestion,
  AuthorizerValue,
  ResourceCheck,
  type ResourceQuestion,
} from './kubernetes/libraries/index.ts';
export { JsonPatchValue, ObjectValue } from './kubernetes/mutation-types.ts';
export type { Schema } from './kubernetes/schema.ts';
