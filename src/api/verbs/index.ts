// What other folders may use: the rules of verbs that every API server follows, whatever stores its objects.
export { deleteOptions, type DeleteOptions, type Preconditions } from './delete-options.ts';
export { checkDeletePreconditions, decideDeletion, type DeletionStrategy } from './deletion.ts';
export { type OwnersSeen, withoutDuplicateOwners } from './duplicate-owners.ts';
export { includeObject, type IncludeObject } from './include-object.ts';
export { listOptions, type ListOptions } from './list-options.ts';
export { isObject, jsonTypeOf, type PatchContext, type Patched, type PatchMethod } from './patch-body.ts';
export { APPLY, patchMethodOf } from './patch-methods.ts';
export { booleanParameter, integerParameter, Query } from './query.ts';
export {
  type BodyFormat,
  bodyFormatOf,
  mediaTypeOf,
  parsedJson,
  sentBytes,
  type SentJson,
  unsupportedMediaType,
} from './sent-body.ts';
export {
  checkIsNewest,
  checkName,
  ensureNamespace,
  failedPrecondition,
  fillSystemFields,
  isReleased,
  keepSystemFields,
  withoutSystemFields,
} from './system-fields.ts';
export { millisOfTimestamp, timestamp } from './timestamps.ts';
export { writeOptions, type WriteOptions } from './write-options.ts';
