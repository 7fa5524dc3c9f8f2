import type { ClusterState, StateObject } from './cluster-state.ts';

/** How the end of a run differs from that of the run without faults. */
export type Difference =
  | { readonly type: 'missing' | 'extra' | 'terminating'; readonly id: string; readonly kind: string }
  | {
      readonly type: 'changed';
      readonly id: string;
      readonly kind: string;
      readonly path: string;
      readonly expected: unknown;
      readonly actual: unknown;
    };

/** What differs between runs without faults: it is not compared. */
export interface Volatility {
  /** Objects that do not exist in each run, by id. */
  readonly ids: ReadonlySet<string>;
  /** Fields, as `KIND path`. */
  readonly fields: ReadonlySet<string>;
}

export const STABLE: Volatility = { ids: new Set(), fields: new Set() };

/** The volatility that two runs without faults show. */
export function volatilityOf(differences: readonly Difference[]): Volatility {
  const fields = differences.flatMap((each) => (each.type === 'changed' ? [`${each.kind} ${each.path}`] : []));
  const ids = differences.flatMap((each) => (each.type === 'changed' ? [] : [each.id]));
  return { ids: new Set(ids), fields: new Set(fields) };
}

export function joined(...all: readonly Volatility[]): Volatility {
  return {
    ids: new Set(all.flatMap(({ ids }) => [...ids])),
    fields: new Set(all.flatMap(({ fields }) => [...fields])),
  };
}

/** Compares two states. Objects with the same id, whose names are generated, are compared in the order of their contents. */
export function differencesOf(
  expected: ClusterState,
  actual: ClusterState,
  volatility: Volatility,
): readonly Difference[] {
  const [wanted, found] = [byId(expected, volatility), byId(actual, volatility)];
  const differences: Difference[] = [];
  for (const id of new Set([...wanted.keys(), ...found.keys()])) {
    if (volatility.ids.has(id)) continue;
    const [left, right] = [wanted.get(id) ?? [], found.get(id) ?? []];
    const count = Math.max(left.length, right.length);
    for (let index = 0; index < count; index++) {
      const [one, other] = [left[index], right[index]];
      if (one === undefined || other === undefined) {
        const { kind, isTerminating } = (one ?? other) as StateObject;
        const type = one !== undefined ? 'missing' : isTerminating ? 'terminating' : 'extra';
        differences.push({ type, id, kind });
        continue;
      }
      if (other.isTerminating && !one.isTerminating) differences.push({ type: 'terminating', id, kind: one.kind });
      const changed = changesOf(one.value, other.value, '');
      differences.push(...changed.filter(isCompared(one.kind, volatility)).map((each) => changeOf(one, each)));
    }
  }
  return differences;
}

function changeOf({ id, kind }: StateObject, { path, expected, actual }: Change): Difference {
  return { type: 'changed', id, kind, path, expected, actual };
}

function isCompared(kind: string, { fields }: Volatility): (change: Change) => boolean {
  return ({ path }) => {
    const members = path.split('.');
    const above = members.map((_, index) => members.slice(0, index + 1).join('.'));
    return !above.some((each) => fields.has(`${kind} ${each}`) || fields.has(`* ${each}`));
  };
}

function byId({ objects }: ClusterState, volatility: Volatility): ReadonlyMap<string, readonly StateObject[]> {
  const grouped = new Map<string, StateObject[]>();
  for (const object of objects) {
    const group = grouped.get(object.id);
    if (group === undefined) grouped.set(object.id, [object]);
    else group.push(object);
  }
  for (const group of grouped.values())
    if (group.length > 1)
      group.sort((left, right) => (sortText(left, volatility) < sortText(right, volatility) ? -1 : 1));
  return grouped;
}

function sortText({ value, kind }: StateObject, { fields }: Volatility): string {
  const text = (member: unknown, path: string): string => {
    if (fields.has(`${kind} ${path}`)) return '';
    if (typeof member !== 'object' || member === null) return JSON.stringify(member) ?? '';
    return Object.entries(member)
      .sort(([left], [right]) => (left < right ? -1 : 1))
      .map(([name, inner]) => `${name}:${text(inner, joinPath(path, member, name))}`)
      .join(',');
  };
  return text(value, '');
}

interface Change {
  readonly path: string;
  readonly expected: unknown;
  readonly actual: unknown;
}

function changesOf(wanted: unknown, found: unknown, path: string): readonly Change[] {
  if (wanted === found) return [];
  const [expected, actual] = [byType(wanted), byType(found)];
  if (!isTree(expected) || !isTree(actual) || Array.isArray(expected) !== Array.isArray(actual))
    return [{ path, expected, actual }];
  if (Array.isArray(expected) && Array.isArray(actual) && expected.length !== actual.length)
    return [{ path, expected, actual }];
  const names = new Set([...Object.keys(expected), ...Object.keys(actual)]);
  return [...names].flatMap((name) =>
    changesOf(
      (expected as Record<string, unknown>)[name],
      (actual as Record<string, unknown>)[name],
      joinPath(path, expected, name),
    ),
  );
}

/** Conditions in the order of their types: where they stand says only which of them came first. */
function byType(value: unknown): unknown {
  if (!Array.isArray(value) || !value.every(isCondition)) return value;
  return value.toSorted((left, right) => (left.type < right.type ? -1 : 1));
}

function isCondition(value: unknown): value is { readonly type: string } {
  return isTree(value) && 'status' in value && 'type' in value && typeof value.type === 'string';
}

/** Positions in lists count as the same field. */
function joinPath(path: string, parent: object, name: string): string {
  const member = Array.isArray(parent) ? '[]' : name;
  return path === '' ? member : `${path}.${member}`;
}

function isTree(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}

const MAX_VALUE = 120;

/** A difference in words. */
export function differenceWords(difference: Difference, otherwise = 'without faults'): string {
  switch (difference.type) {
    case 'missing':
      return `${difference.id} does not exist`;
    case 'extra':
      return `${difference.id} exists, and does not ${otherwise}`;
    case 'terminating':
      return `${difference.id} is being deleted and does not go away`;
    case 'changed':
      return `${difference.id} has ${difference.path} ${valueWords(difference.actual)} instead of ${valueWords(difference.expected)}`;
  }
}

function valueWords(value: unknown): string {
  const text = value === undefined ? 'unset' : JSON.stringify(value);
  return text.length > MAX_VALUE ? `${text.slice(0, MAX_VALUE)}…` : text;
}
