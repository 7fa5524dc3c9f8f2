import {
  type ApiObject,
  type FieldError,
  finalizerPrefixProblems,
  invalidValue,
  type ObjectMeta,
  withMeta,
} from '../api/index.ts';

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

/** A finalizer must be a standard one or have a domain. */
export function checkFinalizerNames({ finalizers }: ObjectMeta): FieldError[] {
  if (finalizers === undefined) return [];
  return finalizers.flatMap((name, index) =>
    finalizerPrefixProblems(name).map((problem) => invalidValue(`metadata.finalizers[${index}]`, name, problem)),
  );
}
