import { checkFormat, invalidValue, notSupported, portNumberProblems, required, tooLong } from '../../api/index.ts';
import type { ApiObject, Field, FieldError, Shape, Struct } from '../../api/index.ts';
import { deepEqual } from '../../base/index.ts';

/**
 * What the type tables can say about an object's values: required, enumerated, bounded and formatted fields. Walks the
 * types that have such a rule somewhere below them and skips the rest.
 */
export function checkAgainstTable(object: ApiObject, type: Struct): FieldError[] {
  const errors: FieldError[] = [];
  for (const rule of rulesOf(type)) {
    if (rule.field.name !== 'metadata' && rule.field.name !== 'status')
      checkField((object as Record<string, unknown>)[rule.field.name], rule, { path: rule.field.name, errors });
  }
  return errors;
}

/** Fields marked `immutable` that an update changes. */
export function checkImmutable(object: ApiObject, old: ApiObject, type: Struct): FieldError[] {
  const errors: FieldError[] = [];
  compare(object, old, { type, path: '', errors });
  return errors;
}

interface Rule {
  readonly field: Field;
  readonly isChecked: boolean;
  readonly inner: Struct | undefined;
}

const known = new WeakMap<Struct, readonly Rule[]>();

/** The fields of a type that have a rule themselves or below; a recursive type counts as having one. */
function rulesOf(type: Struct): readonly Rule[] {
  const found = known.get(type);
  if (found !== undefined) return found;
  const rules: Rule[] = [];
  known.set(type, rules);
  for (const field of type.fields) {
    const inner = structIn(field.shape);
    const isChecked = hasRule(field);
    if (isChecked || (inner !== undefined && (rulesOf(inner).length > 0 || inner === type))) {
      rules.push({ field, isChecked, inner });
    }
  }
  return rules;
}

function hasRule({ flags, required: isRequired }: Field): boolean {
  return (
    isRequired ||
    flags.enum !== undefined ||
    flags.values !== undefined ||
    flags.min !== undefined ||
    flags.max !== undefined ||
    flags.maxlength !== undefined ||
    flags.format !== undefined
  );
}

function structIn(shape: Shape): Struct | undefined {
  switch (shape.kind) {
    case 'struct':
      return shape.struct;
    case 'list':
      return structIn(shape.element);
    case 'map':
      return structIn(shape.value);
    case 'scalar':
      return undefined;
  }
}

interface Place {
  readonly path: string;
  readonly errors: FieldError[];
}

function checkField(value: unknown, { field, isChecked, inner }: Rule, place: Place): void {
  if (isChecked && isMissing(value, field)) {
    place.errors.push(required(place.path));
    return;
  }
  if (value === undefined || value === null) return;
  if (isChecked) checkValues(value, field, place);
  if (inner !== undefined) checkInner(value, inner, place);
}

/**
 * Required means: a pointer is set, a string or list is not empty. Numbers and booleans cannot be missing, and structs
 * are judged by what is in them.
 */
function isMissing(value: unknown, field: Field): boolean {
  if (!field.required) return false;
  const isAbsent = value === undefined || value === null;
  if (field.presence === 'pointer') return isAbsent;
  switch (field.shape.kind) {
    case 'list':
      return isAbsent || (value as unknown[]).length === 0;
    case 'scalar':
      return field.shape.scalar === 'string' && (isAbsent || value === '');
    case 'map':
    case 'struct':
      return false;
  }
}

function checkValues(value: unknown, field: Field, { path, errors }: Place): void {
  if (Array.isArray(value)) {
    for (const [index, item] of value.entries()) checkValue(item, field, { path: `${path}[${index}]`, errors });
  } else if (typeof value !== 'object') {
    checkValue(value, field, { path, errors });
  }
}

function checkValue(value: unknown, { flags }: Field, { path, errors }: Place): void {
  const allowed = flags.values ?? flags.enum;
  if (allowed !== undefined && typeof value === 'string' && !allowed.includes(value)) {
    errors.push(notSupported(path, value, allowed));
  }
  if (typeof value === 'number') {
    checkBounds(value, flags, { path, errors });
    if (flags.format === 'portorname') {
      for (const problem of portNumberProblems(value)) errors.push(invalidValue(path, value, problem));
    }
  }
  if (typeof value !== 'string') return;
  if (flags.maxlength !== undefined && Buffer.byteLength(value) > flags.maxlength)
    errors.push(tooLong(path, flags.maxlength));
  if (flags.format !== undefined && value !== '') {
    for (const problem of checkFormat(flags.format, value)) errors.push(invalidValue(path, value, problem));
  }
}

function checkBounds(value: number, { min, max }: Field['flags'], { path, errors }: Place): void {
  if (min !== undefined && max !== undefined && (value < min || value > max)) {
    errors.push(invalidValue(path, value, `must be between ${min} and ${max}, inclusive`));
  } else if (min !== undefined && value < min) {
    errors.push(invalidValue(path, value, `must be greater than or equal to ${min}`));
  } else if (max !== undefined && value > max) {
    errors.push(invalidValue(path, value, `must be less than or equal to ${max}`));
  }
}

function checkInner(value: unknown, inner: Struct, { path, errors }: Place): void {
  if (Array.isArray(value)) {
    for (const [index, item] of value.entries()) checkInner(item, inner, { path: `${path}[${index}]`, errors });
    return;
  }
  if (typeof value !== 'object' || value === null) return;
  const members = value as Record<string, unknown>;
  for (const rule of rulesOf(inner)) {
    checkField(members[rule.field.name], rule, { path: `${path}.${rule.field.name}`, errors });
  }
}

function compare(
  value: Readonly<Record<string, unknown>>,
  old: Readonly<Record<string, unknown>>,
  { type, path, errors }: Place & { readonly type: Struct },
): void {
  for (const field of type.fields) {
    const now = value[field.name];
    const was = old[field.name];
    if (now === was) continue;
    const at = path === '' ? field.name : `${path}.${field.name}`;
    if (field.immutable) {
      if (!deepEqual(now, was)) errors.push(invalidValue(at, now ?? null, 'field is immutable'));
    } else if (field.shape.kind === 'struct' && isRecord(now) && isRecord(was)) {
      compare(now, was, { type: field.shape.struct, path: at, errors });
    }
  }
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}
