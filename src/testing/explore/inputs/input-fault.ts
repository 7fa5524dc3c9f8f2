import { generalPath } from './input-options.ts';

/** A field that users set, or remove where there is no value. */
export interface InputChange {
  /** Such as `spec.rules.0.port`. */
  readonly field: string;
  readonly value?: unknown;
}

/**
 * Users change an object after a step as its schema allows, one change after the other. Then they make it what it was before, or replace
 * it by a new one with the same fields.
 */
export interface InputFault {
  readonly type: 'input';
  /** As plans name it, such as `acme.dev/v1 Cache default/web`. */
  readonly object: string;
  readonly step: string;
  readonly changes: readonly InputChange[];
  readonly end: 'back' | 'new';
}

/** The field that is changed last, as `KIND path`. */
export function fieldOf({ object, changes }: InputFault): string {
  const [, kind = ''] = object.split(' ', 2);
  return `${kind} ${generalPath(changes.at(-1)?.field ?? '')}`;
}

const MAX_VALUE = 60;

export function inputWords({ object, step, changes, end }: InputFault): string {
  const made = changes.map(changeWords).join(', then ');
  const last = end === 'back' ? 'and change it back' : 'and replace it by a new one with the same fields';
  return `after step "${step}", users change ${object}: ${made}, ${last}`;
}

export function changeWords({ field, value }: InputChange): string {
  if (value === undefined) return `${field} is removed`;
  const text = JSON.stringify(value);
  return `${field} is ${text.length > MAX_VALUE ? `${text.slice(0, MAX_VALUE)}…` : text}`;
}
