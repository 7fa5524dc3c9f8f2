// What other folders may use: how objects are described, read, written and compared.
export * from './values/index.ts';
export * from './patch/index.ts';
export * from './apply/index.ts';
export * from './json/index.ts';
export * from './yaml/index.ts';
export * from './protobuf/index.ts';
export * from './openapi/index.ts';
export * from './discovery/index.ts';
export * from './configuration/index.ts';
export * from './verbs/index.ts';

export { builtInTypes } from './built-in.ts';
export { defaultFeatures } from './features/features.ts';
export { holdsIn, parseRanged } from './language/version-range.ts';
export { checkStructural, type StructuralCheck } from './schema/check-structural.ts';
export type { TextChecks } from './schema/text-checks.ts';
export { checkUniqueItems } from './schema/check-unique-items.ts';
export { jsonType } from './schema/go-json-values.ts';
export { Correlation, KeyedItems } from './schema/correlation.ts';
export { internalField, internalForm, internalForms, internalVolumeSource } from './schema/internal-form.ts';
export { type JudgedPlace, placeOfRoot, placeOfShape } from './schema/judged-place.ts';
export { ShapeSearch } from './schema/shape-search.ts';
export { structuralKind, structuralListKind } from './schema/structural-kind.ts';
export { TypeTable } from './schema/type-table.ts';
export type { Constraints, ExpressionRule, NestedRules, ValueRules } from './schema/constraints.ts';
export type {
  Field,
  GroupVersionKind,
  ListShape,
  MapShape,
  ResourceInfo,
  ScalarName,
  ScalarShape,
  Shape,
  Struct,
  StructShape,
  SubresourceInfo,
} from './schema/schema.ts';
export type { ApiObject, ObjectMeta } from './object.ts';
export { keyOf, splitKey } from './object-key.ts';

export { blankSecret } from './meaning/blank-secret.ts';
export { changedFields } from './meaning/changed-fields.ts';
export { type JsonPath, parseJsonPath } from './json-path/json-path.ts';
export * from './field-error.ts';
export { requestVerb } from './request-verb.ts';
export * from './status.ts';
export {
  checkAnnotations,
  checkChangedObjectMeta,
  checkLabels,
  checkObjectMeta,
  checkObjectMetaUpdate,
  type ObjectMetaCheck,
} from './check-object-meta.ts';
export { checkFormat } from './formats.ts';
export { withMeta } from './with-meta.ts';
