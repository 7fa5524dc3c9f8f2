// What other folders may use: the expression language, and the environments that Kubernetes evaluates it in.
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
export type { CostRange, SizeEstimator } from './cost/estimate.ts';
export type { Bindings } from './evaluate/frame.ts';
export type { Library } from './library/library.ts';
export { ProgramError } from './evaluate/program-error.ts';
export type { Shape } from './evaluate/shape.ts';
export { type Evaluation, Program, type ProgramOptions } from './program.ts';
export { type Issue, Issues, type Location } from './syntax/index.ts';
export * from './type-terms/index.ts';
export * from './values/index.ts';

export { authenticationEnvironment, compileAuthenticationExpression } from './kubernetes/authentication.ts';
export { authorizationEnvironment, compileAuthorizationCondition } from './kubernetes/authorization.ts';
export {
  compileExpression,
  type ExpressionProblem,
  type ExpressionResult,
  type ExpressionUse,
} from './kubernetes/compile-expression.ts';
export { ComposedBindings, Composition } from './kubernetes/composition.ts';
export {
  type Condition,
  type ConditionAnswer,
  type ConditionAnswers,
  evaluateConditions,
} from './kubernetes/conditions.ts';
export type { Device, DeviceAttribute } from './kubernetes/device-data.ts';
export { type DeviceMatch, DeviceSelectors } from './kubernetes/device-selectors.ts';
export type { DeviceFeatures } from './kubernetes/device-types.ts';
export { limits } from './kubernetes/limits.ts';
export { compareSemver, parseSemver, type SemanticVersion } from './kubernetes/semver.ts';
export {
  type CompiledRule,
  compileRule,
  isProblem,
  type RuleProgram,
  type RuleTexts,
} from './kubernetes/rule-compiler.ts';
export { parseRequestUri, parseUrl, UrlError } from './kubernetes/go-url.ts';
export { ruleType } from './kubernetes/schema-type.ts';
export { seenFields } from './kubernetes/seen-fields.ts';
export { textChecks } from './kubernetes/text-checks.ts';
export { claimsValue, type UserData, userInfoValue } from './kubernetes/token-data.ts';
export { type CheckedKinds, typeCheckingEnvironment } from './kubernetes/type-checking.ts';
export { VariableTypes } from './kubernetes/admission-types.ts';
export { admissionEnvironment, type AdmissionOptions } from './kubernetes/admission.ts';
export { baseEnvironment, STORED } from './kubernetes/base-environment.ts';
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
export { plainJson } from './kubernetes/plain-json.ts';
export { type StructuralSchema, structuralShape } from '../api/values/index.ts';
