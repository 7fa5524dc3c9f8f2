// What other folders may use: the validation of CustomResourceDefinitions.
export { apiApprovalState, type ApprovalState } from './approval.ts';
export { caBundleProblem } from './ca-bundle.ts';
export {
  checkDefinition,
  checkDefinitionStatus,
  checkDefinitionUpdate,
  checkingDefinition,
  checkingDefinitionUpdate,
} from './check-definition.ts';
export type { Definition, Schema } from './definition.ts';
export { definitionWarnings } from './format-warnings.ts';
export { nonStructuralState, type NonStructuralState, structuralViolations } from './structural-violations.ts';
