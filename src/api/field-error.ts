import { goFloat } from './patch/go-value-text.ts';
import { quoteGo } from './values/go-text.ts';

/** One thing wrong with one field; the texts are built so that they read as Kubernetes'. */
export interface FieldError {
  readonly reason:
    | 'FieldValueRequired'
    | 'FieldValueInvalid'
    | 'FieldValueNotSupported'
    | 'FieldValueForbidden'
    | 'FieldValueDuplicate'
    | 'FieldValueNotFound'
    | 'FieldValueTooLong'
    | 'FieldValueTooMany'
    | 'FieldValueTypeInvalid'
    | 'InternalError';
  readonly field: string;
  /** The value in question, as messages quote it; left out where they do not. */
  readonly value?: unknown;
  readonly detail: string;
}

export function required(field: string, detail = ''): FieldError {
  return { reason: 'FieldValueRequired', field, detail };
}

export function invalidValue(field: string, value: unknown, detail: string): FieldError {
  return { reason: 'FieldValueInvalid', field, value, detail };
}

/** `supported` is quoted in the order given. */
export function notSupported(field: string, value: unknown, supported: readonly string[]): FieldError {
  const detail = `supported values: ${supported.map((item) => JSON.stringify(item)).join(', ')}`;
  return { reason: 'FieldValueNotSupported', field, value, detail };
}

export function forbiddenField(field: string, detail: string): FieldError {
  return { reason: 'FieldValueForbidden', field, detail };
}

export function duplicate(field: string, value: unknown): FieldError {
  return { reason: 'FieldValueDuplicate', field, value, detail: '' };
}

export function missing(field: string, value: unknown): FieldError {
  return { reason: 'FieldValueNotFound', field, value, detail: '' };
}

export function tooLong(field: string, maxBytes: number): FieldError {
  return {
    reason: 'FieldValueTooLong',
    field,
    detail: `may not be more than ${maxBytes} ${maxBytes === 1 ? 'byte' : 'bytes'}`,
  };
}

export function tooMany(field: string, actual: number, max: number): FieldError {
  const detail = `must have at most ${max} ${max === 1 ? 'item' : 'items'}`;
  return { reason: 'FieldValueTooMany', field, value: actual, detail };
}

export function typeInvalid(field: string, value: unknown, detail: string): FieldError {
  return { reason: 'FieldValueTypeInvalid', field, value, detail };
}

/** `Invalid value: "x": must be no more than 63 characters`: the cause's message. */
export function fieldErrorBody(error: FieldError): string {
  const start = startOf(error);
  return error.detail === '' ? start : `${start}: ${error.detail}`;
}

/** The same with the field's path in front, for the message over all causes. */
export function fieldErrorText(error: FieldError): string {
  return `${error.field}: ${fieldErrorBody(error)}`;
}

function startOf(error: FieldError): string {
  switch (error.reason) {
    case 'FieldValueRequired':
      return 'Required value';
    case 'FieldValueForbidden':
      return 'Forbidden';
    case 'FieldValueTooLong':
      return 'Too long';
    case 'InternalError':
      return 'Internal error';
    case 'FieldValueInvalid':
      return 'value' in error ? `Invalid value: ${quote(error.value)}` : 'Invalid value';
    case 'FieldValueNotSupported':
      return `Unsupported value: ${quote(error.value)}`;
    case 'FieldValueDuplicate':
      return `Duplicate value: ${quote(error.value)}`;
    case 'FieldValueNotFound':
      return `Not found: ${quote(error.value)}`;
    case 'FieldValueTooMany':
      return `Too many: ${quote(error.value)}`;
    case 'FieldValueTypeInvalid':
      return `Invalid value: ${quote(error.value)}`;
  }
}

function quote(value: unknown): string {
  if (value === undefined || value === null) return 'null';
  if (typeof value === 'number') return Number.isInteger(value) ? String(value) : goFloat(value);
  if (typeof value === 'boolean' || typeof value === 'bigint') return String(value);
  return typeof value === 'string' ? quoteGo(value) : JSON.stringify(value);
}
