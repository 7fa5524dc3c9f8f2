import type { Column } from '../../apiserver/index.ts';
import { ageSince } from '../../apiserver/index.ts';

/** Makes a column from its name, its description, and a function for its cells; `now` in milliseconds since the epoch. */
type ColumnMaker = <T>(name: string, description: string, cell: (object: T, now: number) => unknown) => Column<T>;

/** A column of text. */
export const column: ColumnMaker = columnOf('string');
export const integer: ColumnMaker = columnOf('integer');
export const boolean: ColumnMaker = columnOf('boolean');

/** A column of text that is only shown with `-o wide`. */
export const wide: ColumnMaker = (name, description, cell) => ({ ...column(name, description, cell), priority: 1 });

function columnOf(type: Column['type']): ColumnMaker {
  return (name, description, cell) => ({
    name,
    type,
    format: '',
    description,
    priority: 0,
    value: (object, { now }) => cell(object, now),
  });
}

interface WithMetadata {
  readonly metadata?: { readonly name?: string; readonly creationTimestamp?: string };
}

export const nameColumn: Column<WithMetadata> = {
  ...column('Name', 'Name of the object, unique in its namespace', ({ metadata }) => metadata?.name ?? ''),
  format: 'name',
};

export const ageColumn: Column<WithMetadata> = column('Age', 'Time since the object was created', ({ metadata }, now) =>
  ageSince(metadata?.creationTimestamp, now),
);

/** The list, or an empty one: unset lists may be null. */
export function each<T>(list: readonly T[] | null | undefined): readonly T[] {
  return list ?? [];
}

export function countOf(entries: Readonly<Record<string, unknown>> | undefined): number {
  return Object.keys(entries ?? {}).length;
}

export const NONE = '<none>';
export const UNKNOWN = '<unknown>';
export const UNSET = '<unset>';

/** The text, or a placeholder if it is empty. */
export function orElse(text: string | undefined, otherwise: string): string {
  return text === undefined || text === '' ? otherwise : text;
}

/** The first three items and how many more there are; a placeholder if there are none. */
export function firstThree(items: readonly string[], otherwise: string): string {
  const shown = items.slice(0, MAX_SHOWN).join(',');
  if (items.length > MAX_SHOWN) return `${shown} + ${items.length - MAX_SHOWN} more...`;
  return shown === '' ? otherwise : shown;
}

const MAX_SHOWN = 3;
