// What other folders may use: policies written in CEL.
export { mutatingAdmissionPolicy } from './mutating-admission-policy.ts';
export type { PolicySources } from './policy-sources.ts';
export { type TypedKind, type TypedKinds, typeWarnings } from './type-warnings.ts';
export { validatingAdmissionPolicy } from './validating-admission-policy.ts';
