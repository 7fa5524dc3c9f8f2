import type { Column } from '../../apiserver/index.ts';
import { ageSince } from './age.ts';

/** The value of one column in one object; `now` in milliseconds since the epoch. */
export type Cell<T> = (object: T, now: number) => unknown;

export interface ColumnOptions {
  readonly description: string;
  readonly type?: Column['type'];
  readonly format?: string;
  /** Shown with `-o wide` only. */
  readonly isWide?: boolean;
}

/** A column of one kind. This is where its own TypeScript type is put aside: only objects of that kind come in. */
export function column<T>(name: string, cell: Cell<T>, options: ColumnOptions): Column {
  const { description, type = 'string', format = '', isWide = false } = options;
  const value: Column['value'] = (object, { now }) => cell(object as unknown as T, now);
  return { name, type, format, description, priority: isWide ? 1 : 0, value };
}

interface WithMetadata {
  readonly metadata?: { readonly name?: string; readonly creationTimestamp?: string };
}

export const nameColumn: Column = column<WithMetadata>('Name', ({ metadata }) => metadata?.name ?? '', {
  format: 'name',
  description: 'Name of the object, unique in its namespace',
});

export const ageColumn: Column = column<WithMetadata>(
  'Age',
  ({ metadata }, now) => ageSince(metadata?.creationTimestamp, now),
  {
    description: 'Time since the object was created',
  },
);

/** What an unset list is printed as may be null. */
export function each<T>(list: readonly T[] | null | undefined): readonly T[] {
  return list ?? [];
}

export const NONE = '<none>';
export const UNKNOWN = '<unknown>';
export const UNSET = '<unset>';

/** The text, or something that says that there is none. */
export function orElse(text: string | undefined, otherwise: string): string {
  return text === undefined || text === '' ? otherwise : text;
}

/** The first three of a list and how many more there are; what to say when there are none. */
export function firstThree(items: readonly string[], otherwise: string): string {
  const shown = items.slice(0, MOST_SHOWN).join(',');
  if (items.length > MOST_SHOWN) return `${shown} + ${items.length - MOST_SHOWN} more...`;
  return shown === '' ? otherwise : shown;
}

const MOST_SHOWN = 3;
