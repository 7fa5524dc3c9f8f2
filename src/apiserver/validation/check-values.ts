import { type ApiObject, checkStructural, type FieldError, invalidValue, type Struct } from '../../api/index.ts';
import { deepEqual } from '../../base/index.ts';
import { textChecks } from '../../cel/index.ts';
import { checkTyped } from './typed-values.ts';

/** What an object's type says about its values, in the words of its kind of type. */
export function checkValues(object: ApiObject, type: Struct): readonly FieldError[] {
  return type.isStructural === true ? checkStructural(object, type, textChecks) : checkTyped(object, type);
}

/** Fields marked `immutable` that an update changes. */
export function checkImmutable(object: ApiObject, old: ApiObject, type: Struct): FieldError[] {
  const errors: FieldError[] = [];
  compare(object, old, { type, path: '', errors });
  return errors;
}

interface Comparison {
  readonly type: Struct;
  readonly path: string;
  readonly errors: FieldError[];
}

function compare(
  value: Readonly<Record<string, unknown>>,
  old: Readonly<Record<string, unknown>>,
  { type, path, errors }: Comparison,
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
