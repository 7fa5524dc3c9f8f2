import {
  type ApiObject,
  checkStructural,
  collectErrors,
  type FieldError,
  invalidValue,
  type Struct,
} from '../../api/index.ts';
import { deepEqual } from '../../base/index.ts';
import { textChecks } from '../../cel/index.ts';
import type { Resource, Strategy, WriteContext } from '../resource.ts';
import { checkObjectMeta, checkObjectMetaUpdate } from './object-meta.ts';
import { checkTyped } from './typed-values.ts';

/** Everything wrong with an object that is to be created: metadata, what its type says, what its kind says. */
export function validateNewObject(object: ApiObject, resource: Resource, context: WriteContext): readonly FieldError[] {
  const { strategy, namespaced } = resource;
  return collectErrors(() => [
    ...checkObjectMeta(object.metadata, { namespaced, strategy }),
    ...combined(checkValues(object, resource.type), strategy.validate?.(object, context) ?? [], strategy),
  ]);
}

interface ChangeRules {
  readonly resource: Resource;
  readonly strategy: Strategy;
  readonly context: WriteContext;
}

/** Everything wrong with a change. */
export function validateChangedObject(object: ApiObject, old: ApiObject, rules: ChangeRules): readonly FieldError[] {
  return collectErrors(() => changeErrors(object, old, rules));
}

function changeErrors(object: ApiObject, old: ApiObject, { resource, strategy, context }: ChangeRules): FieldError[] {
  const meta = checkObjectMeta(object.metadata, { namespaced: resource.namespaced, strategy: resource.strategy });
  const metaUpdate = checkObjectMetaUpdate(object.metadata, old.metadata);
  const found = strategy.validateUpdate?.(object, old, context) ?? [];
  const own = combined(checkValues(object, resource.type), found, strategy);
  const changed = combined(checkImmutable(object, old, resource.type), [], strategy);
  const isSaid = ({ field, reason }: FieldError): boolean =>
    found.some((said) => said.field === field && said.reason === reason);
  // Upstream checks metadata for every kind and again with the kind's own rules, and reports what it finds both times.
  return [...meta, ...metaUpdate, ...metaUpdate, ...meta, ...own, ...changed.filter((error) => !isSaid(error))];
}

function combined(
  table: readonly FieldError[],
  own: readonly FieldError[],
  { combineErrors }: Strategy,
): readonly FieldError[] {
  return combineErrors === undefined ? [...table, ...own] : combineErrors(table, own);
}

/** What an object's type says about its values, in the words of its kind of type. */
export function checkValues(object: ApiObject, type: Struct): readonly FieldError[] {
  return type.isStructural === true ? checkStructural(object, type, textChecks) : checkTyped(object, type);
}

/** Fields marked `immutable` that an update changes. */
function checkImmutable(object: ApiObject, old: ApiObject, type: Struct): FieldError[] {
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
