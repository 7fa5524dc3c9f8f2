import {
  asJson,
  checkFormat,
  invalidValue,
  notSupported,
  portNumberProblems,
  required,
  tooLong,
} from '../../api/index.ts';
import type { Constraints, Field, FieldError, Shape, Struct } from '../../api/index.ts';

/** The path of a value, and the list for its errors. */
export interface Place {
  readonly path: string;
  readonly errors: FieldError[];
  /** The previous value: identical members have already been validated. */
  readonly old?: unknown;
}

type Check = (value: unknown, place: Place) => void;

interface FieldCheck {
  readonly field: Field;
  /** Undefined when the only possible error is a missing field. */
  readonly check: Check | undefined;
}

type Members = Readonly<Record<string, unknown>>;

/**
 * Checks the rules of the definition files: required, enumerated, bounded and formatted values. It visits only types that have such a rule
 * somewhere below them, and skips members that are identical to those in `old`.
 */
export function checkTyped(object: Members, type: Struct, old?: Members): FieldError[] {
  const errors: FieldError[] = [];
  const place = { path: '', errors, old };
  for (const check of fieldChecks(type)) {
    const { name } = check.field;
    if (name !== 'metadata' && name !== 'status') checkMember(object, check, place);
  }
  return errors;
}

const known = new WeakMap<Struct, readonly FieldCheck[]>();

/** `open` are the types whose checks are being collected: a recursive type counts as having some. */
function fieldChecks(type: Struct, open: readonly Struct[] = []): readonly FieldCheck[] {
  const found = known.get(type);
  if (found !== undefined) return found;
  const checks: FieldCheck[] = [];
  known.set(type, checks);
  for (const field of type.fields) {
    const check = shapeCheck(field.shape, {
      open: [...open, type],
      isNamed: field.goType !== undefined,
      isPointer: field.presence === 'pointer',
    });
    if (check !== undefined || (field.required && field.isOnlyPublished !== true)) checks.push({ field, check });
  }
  return checks;
}

interface CheckedField {
  readonly open: readonly Struct[];
  /** Whether upstream has a type for these texts: messages then quote them as JSON. */
  readonly isNamed: boolean;
  /** Whether an empty text is a value, which has to have the form as well. */
  readonly isPointer: boolean;
}

function shapeCheck(shape: Shape, of: CheckedField): Check | undefined {
  switch (shape.kind) {
    case 'scalar': {
      const { constraints } = shape;
      if (constraints === undefined || !hasRule(constraints)) return undefined;
      return (value, place) =>
        checkScalar(value, constraints, { ...place, isNamed: of.isNamed, isPointer: of.isPointer });
    }
    case 'struct': {
      if (shape.struct.hasOwnRules === true) return undefined;
      const fields = fieldChecks(shape.struct, of.open);
      return fields.length > 0 || of.open.includes(shape.struct)
        ? (value, place) => checkMembers(value, fields, place)
        : undefined;
    }
    case 'list': {
      const check = shapeCheck(shape.element, of);
      return check === undefined ? undefined : (value, place) => checkItems(value, check, place);
    }
    case 'map': {
      const check = shapeCheck(shape.value, of);
      return check === undefined ? undefined : (value, place) => checkEntries(value, check, place);
    }
  }
}

function hasRule({ enum: choices, values, minimum, maximum, maxBytes, syntax }: Constraints): boolean {
  return [choices, values, minimum, maximum, maxBytes, syntax].some((rule) => rule !== undefined);
}

/**
 * The place is that of the enclosing object: places of members are created only when there is something to check, since most members are
 * absent.
 */
function checkMember(members: Members, { field, check }: FieldCheck, { path, errors, old }: Place): void {
  const { name } = field;
  const value = members[name];
  const before = typeof old === 'object' && old !== null ? (old as Members)[name] : undefined;
  if (typeof value === 'object' && value === before) return;
  const isGone = isMissing(value, field);
  if (!isGone && (check === undefined || value === undefined || value === null)) return;
  const place = { path: path === '' ? name : `${path}.${name}`, errors, old: before };
  if (isGone) reportMissing(field, place);
  else check?.(value, place);
}

function checkMembers(value: unknown, fields: readonly FieldCheck[], place: Place): void {
  if (typeof value !== 'object' || value === null) return;
  for (const field of fields) checkMember(value as Members, field, place);
}

function checkItems(value: unknown, check: Check, { path, errors }: Place): void {
  const items = value as readonly unknown[];
  for (let index = 0; index < items.length; index++) check(items[index], { path: `${path}[${index}]`, errors });
}

function checkEntries(value: unknown, check: Check, { path, errors }: Place): void {
  for (const [key, item] of Object.entries(value as object)) check(item, { path: `${path}[${key}]`, errors });
}

function reportMissing({ shape, isOnlyPublished, missingSays }: Field, { path, errors }: Place): void {
  if (isOnlyPublished === true) return;
  errors.push(required(shape.constraints?.at === 'list' ? listAround(path) : path, missingSays));
}

/**
 * Required means: a pointer is set, a string or list is not empty. Numbers and booleans cannot be missing unless zero is defined to mean
 * that, and structs are checked by their members.
 */
function isMissing(value: unknown, { presence, shape, required: isRequired }: Field): boolean {
  if (!isRequired) return false;
  const isAbsent = value === undefined || value === null;
  if (presence === 'pointer') return isAbsent;
  switch (shape.kind) {
    case 'list':
      return isAbsent || (value as unknown[]).length === 0;
    case 'scalar':
      if (shape.constraints?.zero === 'missing') return value === 0;
      return shape.scalar === 'string' && (isAbsent || value === '');
    case 'map':
    case 'struct':
      return false;
  }
}

interface ScalarPlace extends Place, Pick<CheckedField, 'isNamed' | 'isPointer'> {}

function checkScalar(
  value: unknown,
  constraints: Constraints,
  { path, errors, isNamed, isPointer }: ScalarPlace,
): void {
  if (typeof value === 'number') checkNumber(value, constraints, { path, errors });
  if (typeof value !== 'string') return;
  const { maxBytes, syntax, values, enum: published, zero } = constraints;
  if (value === '' && zero !== undefined) {
    if (zero === 'missing') errors.push(required(path));
    return;
  }
  const allowed = values ?? (published as readonly string[] | undefined) ?? [];
  if (allowed.length > 0 && !allowed.includes(value)) {
    errors.push(notSupported(reportedAt(path, constraints), isNamed ? asJson(value) : value, allowed));
  }
  if (maxBytes !== undefined && Buffer.byteLength(value) > maxBytes) errors.push(tooLong(path, maxBytes));
  if (syntax !== undefined && (value !== '' || isPointer)) {
    for (const problem of checkFormat(syntax, value)) errors.push(invalidValue(path, value, problem));
  }
}

function checkNumber(value: number, constraints: Constraints, { path, errors }: Place): void {
  if (value === 0 && constraints.zero === 'absent') return;
  const problem = boundsProblem(value, constraints);
  if (problem !== undefined) errors.push(invalidValue(path, value, problem));
  if (constraints.syntax === 'portorname') {
    for (const detail of portNumberProblems(value)) errors.push(invalidValue(path, value, detail));
  }
}

function boundsProblem(value: number, { minimum, maximum, belowSays, aboveSays }: Constraints): string | undefined {
  const isBelow = minimum !== undefined && value < minimum;
  if (!isBelow && (maximum === undefined || value <= maximum)) return undefined;
  const words = isBelow ? belowSays : aboveSays;
  if (words !== undefined) return words;
  if (minimum !== undefined && maximum !== undefined) return `must be between ${minimum} and ${maximum}, inclusive`;
  return isBelow ? `must be greater than or equal to ${minimum}` : `must be less than or equal to ${maximum}`;
}

function reportedAt(path: string, { at }: Constraints): string {
  if (at === 'parent') return path.slice(0, path.lastIndexOf('.'));
  return at === 'list' ? listAround(path) : path;
}

function listAround(path: string): string {
  return path.slice(0, path.lastIndexOf('['));
}
