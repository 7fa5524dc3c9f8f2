import { type ApiObject, withMeta } from '../api/index.ts';

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
