// What other folders may use: who owns which fields of an object, and how configurations are applied to it.
export { applyConfig, type Applied, type ApplyOptions } from './apply-config.ts';
export { managedFieldsProblem } from './field-managers.ts';
export { mergeConfig, MergeError } from './merge-config.ts';
export { extractApplied } from './extract-applied.ts';
export { excludeFields, type FieldFilter, type OwnedKind } from './versions.ts';
export { keepTimes, managerName, ownAfterWrite, type Writer } from './plain-write.ts';
export { type ConversionRequest, type ConvertedObjects, withConversions } from './conversion.ts';
export { managedFieldsFromScale, managedFieldsOfScale, type ScaledKind } from './scale-managed-fields.ts';
