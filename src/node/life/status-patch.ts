import type { JsonValue } from '../../base/index.ts';
import type { PodStatus } from './pod-view.ts';

type Json = Readonly<Record<string, JsonValue | undefined>>;

/** Lists that are merged item by item, with their merge keys. All other lists are replaced. */
const MERGED: ReadonlyMap<string, string> = new Map([
  ['conditions', 'type'],
  ['podIPs', 'ip'],
  ['hostIPs', 'ip'],
]);

/** Fields that a node neither sets nor clears. */
const FOREIGN: ReadonlySet<string> = new Set([
  'nominatedNodeName',
  'resourceClaimStatuses',
  'extendedResourceClaimStatus',
  'nodeAllocatableResourceClaimStatuses',
  'resize',
]);

/**
 * The strategic merge patch from one status to the other; undefined when they are equal.
 *
 * Conditions of other writers are unchanged and keep their places.
 */
export function statusPatch(from: PodStatus, to: PodStatus): Record<string, JsonValue> | undefined {
  const patch: Record<string, JsonValue> = {};
  const before = from as unknown as Json;
  const after = to as unknown as Json;
  for (const name in before) patchStatus(patch, name, { before: before[name], after: after[name] });
  for (const name in after) {
    if (!(name in before)) patchStatus(patch, name, { before: undefined, after: after[name] });
  }
  return Object.keys(patch).length === 0 ? undefined : patch;
}

function patchStatus(patch: Record<string, JsonValue>, name: string, change: Change): void {
  if (change.before === change.after || FOREIGN.has(name)) return;
  const key = MERGED.get(name);
  if (key === undefined) patchField(patch, name, change);
  else patchList(patch, { name, key }, change);
}

/** Whether two values are equal for the API, where null means absent. */
export function isSame(left: unknown, right: unknown): boolean {
  if (left === right) return true;
  if (left === undefined || left === null) return right === undefined || right === null;
  if (typeof left !== 'object' || typeof right !== 'object' || right === null) return false;
  if (Array.isArray(left) || Array.isArray(right)) return areSameLists(left, right);
  const before = left as Readonly<Record<string, unknown>>;
  const after = right as Readonly<Record<string, unknown>>;
  for (const name in before) if (!isSame(before[name], after[name])) return false;
  for (const name in after) if (!(name in before) && !isSame(undefined, after[name])) return false;
  return true;
}

function areSameLists(left: unknown, right: unknown): boolean {
  if (!Array.isArray(left) || !Array.isArray(right) || left.length !== right.length) return false;
  return left.every((item, index) => isSame(item, right[index]));
}

interface Change {
  readonly before: JsonValue | undefined;
  readonly after: JsonValue | undefined;
}

function patchField(patch: Record<string, JsonValue>, name: string, { before, after }: Change): void {
  if (isSame(before, after)) return;
  if (isObject(before) && isObject(after)) {
    const inner: Record<string, JsonValue> = {};
    for (const key in before) patchField(inner, key, { before: before[key], after: after[key] });
    for (const key in after) if (!(key in before)) patchField(inner, key, { before: undefined, after: after[key] });
    patch[name] = inner;
    return;
  }
  patch[name] = after ?? null;
}

function patchList(
  patch: Record<string, JsonValue>,
  { name, key }: { readonly name: string; readonly key: string },
  { before, after }: Change,
): void {
  const oldItems = items(before);
  const newItems = items(after);
  const changed: JsonValue[] = [];
  // by index: V8 allocates an object for each step of an iteration over a frozen list, and most lists here are frozen
  for (let index = 0; index < newItems.length; index++) {
    const item = newItems[index] as Json;
    const old = find(oldItems, key, item);
    if (!isSame(item, old)) changed.push(replacing(old, item));
  }
  for (let index = 0; index < oldItems.length; index++) {
    const item = oldItems[index] as Json;
    if (find(newItems, key, item) === undefined) changed.push({ $patch: 'delete', [key]: item[key] ?? null });
  }
  if (changed.length === 0) return;
  patch[`$setElementOrder/${name}`] = newItems.map((item) => ({ [key]: item[key] ?? null }));
  patch[name] = changed;
}

/** Members that are gone are removed by name. */
function replacing(old: Json | undefined, item: Json): JsonValue {
  const gone = Object.keys(old ?? {}).filter((name) => item[name] === undefined && (old?.[name] ?? null) !== null);
  if (gone.length === 0) return item as JsonValue;
  return { ...(item as Record<string, JsonValue>), ...Object.fromEntries(gone.map((name) => [name, null])) };
}

function find(list: readonly Json[], key: string, like: Json): Json | undefined {
  for (let index = 0; index < list.length; index++) if (list[index]?.[key] === like[key]) return list[index];
  return undefined;
}

function items(value: JsonValue | undefined): readonly Json[] {
  return Array.isArray(value) ? (value as readonly Json[]) : [];
}

function isObject(value: JsonValue | undefined): value is Record<string, JsonValue> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
