import type { Step } from '../cluster/open-api.ts';

export interface ManagedFieldsEntry {
  readonly manager?: string;
  readonly operation?: string;
  readonly subresource?: string;
  readonly time?: string;
  readonly apiVersion?: string;
  readonly fieldsV1?: unknown;
}

/** Which managers own which field: by the path of the field as `pathKey` writes it. */
export type FieldOwners = ReadonlyMap<string, readonly ManagedFieldsEntry[]>;

export function pathKey(path: readonly Step[]): string {
  return JSON.stringify(path);
}

/** Reads managedFields. Elements of lists are named there by keys or values, so the object says which they are. */
export function ownersOf(object: unknown, entries: readonly ManagedFieldsEntry[]): FieldOwners {
  const owners = new Map<string, ManagedFieldsEntry[]>();
  for (const entry of entries) walk(object, { fields: entry.fieldsV1, path: [], entry });
  return owners;

  function walk(
    value: unknown,
    { fields, path, entry }: { fields: unknown; path: readonly Step[]; entry: ManagedFieldsEntry },
  ): void {
    if (typeof fields !== 'object' || fields === null) return;
    for (const [name, inner] of Object.entries(fields)) {
      const step = name === '.' ? undefined : stepOf(name, value);
      if (step === undefined) continue;
      const isLeaf = Object.keys((inner as object | null) ?? {}).length === 0;
      const innerPath = [...path, step];
      if (isLeaf || Object.hasOwn(inner as object, '.')) {
        const key = pathKey(innerPath);
        owners.set(key, [...(owners.get(key) ?? []), entry]);
      }
      walk(memberOf(value, step), { fields: inner, path: innerPath, entry });
    }
  }
}

/** The step that `f:NAME`, `k:{KEYS}`, `v:VALUE` or `i:INDEX` is, if the object has it. */
function stepOf(name: string, value: unknown): Step | undefined {
  const kind = name.slice(0, 2);
  const rest = name.slice(2);
  if (kind === 'f:') return rest;
  if (!Array.isArray(value)) return undefined;
  if (kind === 'i:') return Number(rest);
  const wanted = parse(rest);
  const index = value.findIndex((element) => (kind === 'k:' ? hasKeys(element, wanted) : isSame(element, wanted)));
  return index < 0 ? undefined : index;
}

function hasKeys(element: unknown, keys: unknown): boolean {
  return Object.entries((keys as Record<string, unknown>) ?? {}).every(([name, key]) =>
    isSame(memberOf(element, name), key),
  );
}

function isSame(left: unknown, right: unknown): boolean {
  return left === right || JSON.stringify(left) === JSON.stringify(right);
}

function memberOf(value: unknown, step: Step): unknown {
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, step)) return undefined;
  return (value as Record<Step, unknown>)[step];
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
