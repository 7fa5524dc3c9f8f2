import { type FieldError, invalidValue, percentOf, percentProblems } from '../../api/index.ts';

/** A count, or a percentage. */
export function checkCountOrPercent(value: number | string | undefined, field: string): FieldError[] {
  if (typeof value === 'number' && value < 0) return [invalidValue(field, value, 'must be greater than or equal to 0')];
  const problems = typeof value === 'string' ? percentProblems(value) : [];
  return problems.map((problem) => invalidValue(field, value, problem));
}

/** A share of a whole. */
export function checkNotMoreThanAll(value: number | string | undefined, field: string): FieldError[] {
  if (value === undefined || (percentOf(value) ?? 0) <= 100) return [];
  return [invalidValue(field, value, 'must not be greater than 100%')];
}

/** Whether a number or percentage is nothing at all. */
export function isNone(value: number | string | undefined): boolean {
  return value === undefined || value === 0 || (typeof value === 'string' && (percentOf(value) ?? 0) === 0);
}
