import type { ObjectMeta } from './object.ts';

const ORDER: readonly (keyof ObjectMeta)[] = [
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
  'labels',
  'annotations',
  'ownerReferences',
  'finalizers',
  'managedFields',
];

/** A copy of metadata with some members set (or, if undefined, removed), in the order of JSON output. */
export function withMeta(metadata: Readonly<ObjectMeta>, changes: Readonly<Partial<ObjectMeta>>): ObjectMeta {
  const source = metadata as Readonly<Record<string, unknown>>;
  const changed = changes as Readonly<Record<string, unknown>>;
  const result: Record<string, unknown> = {};
  for (const name of ORDER) {
    const value = name in changed ? changed[name] : source[name];
    if (value !== undefined) result[name] = value;
  }
  return result;
}
