import { compareUtf8 } from '../../base/index.ts';
import { isPlainObject } from '../json/plain-object.ts';
import { goType } from '../patch/go-value-text.ts';
import { ValueError } from '../values/index.ts';

/** One step of a path: maps the values found so far to the next ones. */
export type PathStep = (values: readonly unknown[]) => readonly unknown[];

export function follow(values: readonly unknown[], steps: readonly PathStep[]): readonly unknown[] {
  return steps.reduce((found, step) => step(found), values);
}

/** A constant in place of each value. */
export function constant(value: unknown): PathStep {
  return (values) => values.map(() => value);
}

export function text(value: string): PathStep {
  return () => [value];
}

/** Skips values without such a member. */
export function member(name: string): PathStep {
  return (values) =>
    values.flatMap((value) => (isPlainObject(value) && Object.hasOwn(value, name) ? [value[name]] : []));
}

export function identifier(name: string): PathStep {
  return () => {
    if (name === 'end') throw new ValueError('not in range, nothing to end');
    throw new ValueError(`unrecognized identifier ${name}`);
  };
}

export const everyPart: PathStep = (values) => values.flatMap(partsOf);

/** The values and all objects and lists inside them, outermost first. */
export const everyDepth: PathStep = (values) =>
  values.flatMap((value) => {
    const parts = partsOf(value);
    return parts.length === 0 ? [] : [value, ...everyDepth(parts)];
  });

function partsOf(value: unknown): readonly unknown[] {
  if (Array.isArray(value)) return value;
  return isPlainObject(value) ? Object.values(value) : [];
}

export function union(alternatives: readonly (readonly PathStep[])[]): PathStep {
  return (values) => alternatives.flatMap((steps) => follow(values, steps));
}

/** A part of a list: `[start:end:step]`, or a single item. */
export interface Slice {
  readonly start: number | undefined;
  /** `next`: the item at `start` alone. */
  readonly end: number | 'next' | undefined;
  readonly step: number | undefined;
}

export function slice(wanted: Slice): PathStep {
  return (values) => values.flatMap((value) => (value === null || value === undefined ? [] : sliceOf(value, wanted)));
}

function sliceOf(value: unknown, wanted: Slice): readonly unknown[] {
  if (!Array.isArray(value)) throw new ValueError(`${goType(value)} is not array or slice`);
  const { length } = value;
  const given = wanted.start ?? 0;
  const start = given < 0 ? given + length : given;
  let end = wanted.end === 'next' ? given + 1 : (wanted.end ?? length);
  if (end < 0 || (end === 0 && wanted.end === 'next')) end += length;
  if (end === start) return [];
  if (start >= length || start < 0) throw outOfBounds(start, length);
  if (end > length || end < 0) throw outOfBounds(end - 1, length);
  if (start > end) throw new ValueError(`starting index ${start} is greater than ending index ${end}`);
  const { step = 1 } = wanted;
  if (step <= 0) throw new ValueError('step must be > 0');
  const items = value.slice(start, end);
  return step === 1 ? items : items.filter((_, index) => index % step === 0);
}

function outOfBounds(index: number, length: number): ValueError {
  return new ValueError(`array index out of bounds: index ${index}, length ${length}`);
}

/** A condition on list items; without an operator, that the left side exists. */
export interface Filter {
  readonly left: readonly PathStep[];
  readonly operator: string | undefined;
  readonly right: readonly PathStep[];
}

export function filter(wanted: Filter): PathStep {
  return (values) =>
    values.flatMap((value) => {
      if (!Array.isArray(value)) throw new ValueError('value is not array or slice and cannot be filtered');
      return value.filter((item) => passes(item, wanted));
    });
}

function passes(item: unknown, { left, operator, right }: Filter): boolean {
  if (operator === undefined) return exists(item, left);
  const lefts = onlyOne(follow([item], left));
  if (lefts === undefined) return false;
  const rights = onlyOne(follow([item], right));
  return rights !== undefined && holds(lefts.value, rights.value, operator);
}

function exists(item: unknown, steps: readonly PathStep[]): boolean {
  try {
    return follow([item], steps).length > 0;
  } catch (error) {
    if (error instanceof ValueError) return true; // upstream uses what it had when it failed, which is the item
    throw error;
  }
}

function onlyOne(values: readonly unknown[]): { readonly value: unknown } | undefined {
  if (values.length > 1) throw new ValueError('can only compare one element at a time');
  return values.length === 0 ? undefined : { value: values[0] };
}

const COMPARISONS: Readonly<Record<string, (order: number) => boolean>> = {
  '==': (order) => order === 0,
  '!=': (order) => order !== 0,
  '<': (order) => order < 0,
  '>': (order) => order > 0,
  '<=': (order) => order <= 0,
  '>=': (order) => order >= 0,
};

function holds(left: unknown, right: unknown, operator: string): boolean {
  const comparison = COMPARISONS[operator];
  if (comparison === undefined) throw new ValueError(`unrecognized filter operator ${operator}`);
  const type = goType(left);
  if (!['bool', 'int64', 'float64', 'string'].includes(type)) throw new ValueError('invalid type for comparison');
  if (type !== goType(right)) throw new ValueError('incompatible types for comparison');
  if (type === 'string') return comparison(compareUtf8(left as string, right as string));
  const isEqual = left === right;
  if (type === 'bool' && operator !== '==' && operator !== '!=') throw new ValueError('invalid type for comparison');
  return comparison(isEqual ? 0 : (left as number) < (right as number) ? -1 : 1);
}
