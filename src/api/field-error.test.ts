import { expect, test } from 'vitest';
import type { Steps } from '../base/index.ts';
import {
  collectErrors,
  collectingErrors,
  type FieldError,
  invalidValue,
  MAX_FIELD_ERRORS,
  required,
} from './field-error.ts';
import { invalid } from './status.ts';

const KIND = { group: '', resource: 'ConfigMap' };

test('a validation stops at its thousandth problem, and reports those it has found', () => {
  let checked = 0;
  const items = Array.from({ length: 1_000_000 }, (_, index) => String(index));
  const errors = collectErrors(() =>
    items.map((item) => {
      checked += 1;
      return invalidValue('metadata.finalizers', item, 'is wrong');
    }),
  );

  expect(errors).toHaveLength(MAX_FIELD_ERRORS);
  expect(errors.at(-1)).toMatchObject({ value: '999' });
  expect(checked).toBe(MAX_FIELD_ERRORS + 1);
});

test('a validation counts only its own problems, and passes other failures on', () => {
  for (let index = 0; index < 2 * MAX_FIELD_ERRORS; index++) required('a');
  expect(collectErrors(() => [required('b')])).toHaveLength(1);
  expect(() =>
    collectErrors(() => {
      throw new Error('other');
    }),
  ).toThrow('other');
});

test('the problems of all steps of a validation count together, without those that others find in between', () => {
  function* validation(): Steps<readonly FieldError[]> {
    const first = Array.from({ length: 600 }, () => required('a'));
    yield;
    return [...first, ...Array.from({ length: 600 }, () => required('b'))];
  }
  const steps = collectingErrors(validation());
  expect(steps.next().done).toBe(false);
  for (let index = 0; index < MAX_FIELD_ERRORS; index++) required('c'); // by another validation, in between
  const { value } = steps.next();

  expect(value).toHaveLength(MAX_FIELD_ERRORS);
  expect(value?.at(-1)).toEqual(required('b'));
});

test('a long value is quoted partially', () => {
  const { message } = invalid(KIND, 'a', [invalidValue('x', 'v'.repeat(3_000_000), 'is wrong')]);

  expect(message).toBe(
    `ConfigMap "a" is invalid: x: Invalid value: "${'v'.repeat(65_536)}... (2934464 more)": is wrong`,
  );
});

test('errors that do not fit into an answer are counted', () => {
  const list = Array.from({ length: 100_000 }, (_, index) => index);
  const { status, message } = invalid(
    KIND,
    'a',
    list.slice(0, 1000).map((index) => invalidValue(`x[${index}]`, list, 'is wrong')),
  );

  expect(message).toMatch(/, and 997 more\]$/);
  expect(status.details?.causes).toHaveLength(3);
  expect(message.length).toBeLessThan(300_000);
});
