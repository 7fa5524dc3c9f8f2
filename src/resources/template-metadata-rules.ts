import { type FieldError, forbiddenField, sentEmpty } from '../api/index.ts';

/** Metadata that templates of objects may not have, in the order of upstream's type. */
const NAMES = [
  'name',
  'generateName',
  'namespace',
  'selfLink',
  'uid',
  'resourceVersion',
  'generation',
  'creationTimestamp',
  'deletionTimestamp',
  'deletionGracePeriodSeconds',
  'ownerReferences',
  'finalizers',
  'managedFields',
] as const;
/** Names that upstream makes from those of Go. */
const SHOWN: Readonly<Record<string, string>> = { uid: 'uID' };

/** Of the metadata of a template, only labels and annotations may be set; `metadata` is the rest. */
export function checkNoOtherMetadata(
  metadata: Readonly<Partial<Record<string, unknown>>>,
  field: string,
): FieldError[] {
  return NAMES.filter((name) => isSet(metadata[name], name) || sentEmpty(metadata, name) !== null).map((name) =>
    forbiddenField(`${field}.${SHOWN[name] ?? name}`, 'cannot be set'),
  );
}

/** Zero is a value only where absent differs from it. */
function isSet(value: unknown, name: (typeof NAMES)[number]): boolean {
  if (name === 'deletionGracePeriodSeconds') return value !== undefined;
  return value !== undefined && value !== null && value !== '' && value !== 0;
}
