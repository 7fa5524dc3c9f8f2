import type { ApiObject, ObjectMeta } from '../api/index.ts';

/** A copy of metadata with some members set (or, given undefined, removed), in the order of JSON output. */
export function withMeta(metadata: ObjectMeta, changes: Partial<ObjectMeta>): ObjectMeta {
  const source = { ...metadata, ...changes } as Record<string, unknown>;
  const result: Record<string, unknown> = {};
  for (const name of ORDER) if (source[name] !== undefined) result[name] = source[name];
  return result;
}

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

export function setGeneration(object: ApiObject, generation: number | undefined): void {
  object.metadata = withMeta(object.metadata, { generation });
}

/** A string map with some entries set, in the order in which maps are printed. */
export function withEntries(
  map: Readonly<Record<string, string>> | undefined,
  entries: Readonly<Record<string, string>>,
): Record<string, string> {
  const merged: Record<string, string> = { ...map, ...entries };
  return Object.fromEntries(Object.entries(merged).sort(([left], [right]) => (left < right ? -1 : 1)));
}
