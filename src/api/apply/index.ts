// What other folders may use: who owns which fields of an object, and how configurations are applied to it.
export { applyConfig, type Applied, type ApplyOptions } from './apply-config.ts';
export { decodeOwners } from './decode-owners.ts';
export { excludeFields, type FieldFilter } from './field-filter.ts';
export { EMPTY_SET, FieldSet, type FieldEntry } from './field-set.ts';
export { difference, intersection, union } from './field-set-algebra.ts';
export { parseFieldsV1, printFieldsV1 } from './fields-v1.ts';
export { extractItems } from './extract-items.ts';
export { keepTimes } from './keep-times.ts';
export { managerName } from './manager-name.ts';
export { mergeTypeOf } from './merge-type.ts';
export type { OwnedKind, VersionedObject } from './owned-kind.ts';
export type { ManagedFieldsEntry, Owner, Owners } from './owners.ts';
export { FieldsError } from './parse-element.ts';
export { ownAfterWrite, type Writer } from './plain-write.ts';
export { resetFilter } from './reset-fields.ts';
export { ownersFromScale, ownersOfScale, type ScaledKind } from './scale-owners.ts';
export { setOf } from './set-of.ts';
