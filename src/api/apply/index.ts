// What other folders may use: who owns which fields of an object, and how configurations are applied to it.
export { applyConfig, type Applied, type ApplyOptions } from './apply-config.ts';
export { managedFieldsProblem } from './decode-managed-fields.ts';
export { extractApplied } from './extract-applied.ts';
export { excludeFields, type FieldFilter } from './field-filter.ts';
export { keepTimes } from './keep-times.ts';
export { managerName } from './manager-name.ts';
export { type ConversionRequest, type ConvertedObjects, withConversions } from './conversion.ts';
export type { OwnedKind } from './owned-kind.ts';
export { ownAfterWrite, type Writer } from './plain-write.ts';
export { managedFieldsFromScale, managedFieldsOfScale, type ScaledKind } from './scale-managed-fields.ts';
