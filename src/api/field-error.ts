import type { Steps } from '../base/index.ts';
import { goFloat } from './patch/go-value-text.ts';
import { jsonGo, quoteGo } from './values/go-text.ts';

/** A problem with one field; the texts are worded as Kubernetes'. */
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
  /** The invalid value, if the message quotes it. */
  readonly value?: unknown;
  readonly detail: string;
}

/** Maximum number of problems that one validation reports; it stops there. */
export const MAX_FIELD_ERRORS = 1000;

/**
 * The problems of the running validation. Set only during one of its synchronous steps, so that validations never see each other's.
 *
 * The only module state of this kind, on purpose: more than a hundred files check values, and a collector that each of them had to be
 * given and to ask would leave those without a limit that forget it.
 */
let found: FieldError[] | undefined;

class TooManyErrors extends Error {}

/** Runs a validation and stops it at its thousandth problem, so that a million bad items do not become a million errors. */
export function collectErrors(validate: () => readonly FieldError[]): readonly FieldError[] {
  const own: FieldError[] = [];
  return notingIn(own, validate) ?? own;
}

/** The same for a validation in steps; the limit applies to all steps together. */
export function* collectingErrors(validation: Steps<readonly FieldError[]>): Steps<readonly FieldError[]> {
  const own: FieldError[] = [];
  for (;;) {
    const step = notingIn(own, () => validation.next());
    if (step === undefined) return own;
    if (step.done === true) return step.value;
    yield;
  }
}

/** Runs `act` and collects its problems in `own`; undefined if `own` is full. */
function notingIn<T>(own: FieldError[], act: () => T): T | undefined {
  const around = found;
  found = own;
  try {
    return act();
  } catch (error) {
    if (error instanceof TooManyErrors) return undefined;
    throw error;
  } finally {
    found = around;
  }
}

function noted(error: FieldError): FieldError {
  if (found === undefined) return error;
  if (found.length === MAX_FIELD_ERRORS) throw new TooManyErrors();
  found.push(error);
  return error;
}

export function required(field: string, detail = ''): FieldError {
  return noted({ reason: 'FieldValueRequired', field, detail });
}

export function invalidValue(field: string, value: unknown, detail: string): FieldError {
  return noted({ reason: 'FieldValueInvalid', field, value, detail });
}

/** `supported` is quoted in the order given. */
export function notSupported(field: string, value: unknown, supported: readonly string[]): FieldError {
  const detail = `supported values: ${supported.map((item) => JSON.stringify(item)).join(', ')}`;
  return noted({ reason: 'FieldValueNotSupported', field, value, detail });
}

export function forbiddenField(field: string, detail: string): FieldError {
  return noted({ reason: 'FieldValueForbidden', field, detail });
}

/** A text that upstream's check has by a pointer or as a type of its own: messages quote it as JSON, which escapes less. */
export function asJson(text: string): { toJSON(): string } {
  return { toJSON: () => text };
}

/** The same for an object or list as a whole, which is not quoted. */
export function invalidWhole(field: string, detail: string): FieldError {
  return noted({ reason: 'FieldValueInvalid', field, detail });
}

export function duplicateWhole(field: string): FieldError {
  return noted({ reason: 'FieldValueDuplicate', field, detail: '' });
}

export function duplicate(field: string, value: unknown): FieldError {
  return noted({ reason: 'FieldValueDuplicate', field, value, detail: '' });
}

export function missing(field: string, value: unknown, detail = ''): FieldError {
  return noted({ reason: 'FieldValueNotFound', field, value, detail });
}

export function tooLong(field: string, maxBytes: number): FieldError {
  const detail = `may not be more than ${maxBytes} ${maxBytes === 1 ? 'byte' : 'bytes'}`;
  return noted({ reason: 'FieldValueTooLong', field, detail });
}

export function tooMany(field: string, actual: number, max: number): FieldError {
  const detail = `must have at most ${max} ${max === 1 ? 'item' : 'items'}`;
  return noted({ reason: 'FieldValueTooMany', field, value: actual, detail });
}

export function typeInvalid(field: string, value: unknown, detail: string): FieldError {
  return noted({ reason: 'FieldValueTypeInvalid', field, value, detail });
}

/** The path of a field without list indices and map keys: `spec.taints[0].key` is at `spec.taints.key`. */
export function schemaPathOf(field: string): string {
  let path = '';
  let from = 0;
  for (let open = field.indexOf('['); open !== -1; open = field.indexOf('[', from)) {
    const close = field.indexOf(']', open);
    if (close === -1) break;
    path += field.slice(from, open);
    from = close + 1;
  }
  return from === 0 ? field : path + field.slice(from);
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
      return `Invalid value${quoted(error)}`;
    case 'FieldValueNotSupported':
      return `Unsupported value: ${quote(error.value)}`;
    case 'FieldValueDuplicate':
      return `Duplicate value${quoted(error)}`;
    case 'FieldValueNotFound':
      return `Not found: ${quote(error.value)}`;
    case 'FieldValueTooMany':
      return `Too many: ${quote(error.value)}`;
    case 'FieldValueTypeInvalid':
      return `Invalid value: ${quote(error.value)}`;
  }
}

function quoted(error: FieldError): string {
  return 'value' in error ? `: ${quote(error.value)}` : '';
}

function quote(value: unknown): string {
  if (value === undefined || value === null) return 'null';
  if (typeof value === 'number') return Number.isInteger(value) ? String(value) : goFloat(value);
  if (typeof value === 'boolean' || typeof value === 'bigint') return String(value);
  return typeof value === 'string' ? quoteGo(value) : jsonGo(value);
}
