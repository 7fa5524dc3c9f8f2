import { type ApiObject, collectErrors, type FieldError } from '../../api/index.ts';
import type { Resource, Strategy, WriteContext } from '../resource.ts';
import { checkObjectMeta, checkObjectMetaUpdate } from './object-meta.ts';
import { checkImmutable, checkValues } from './check-values.ts';

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
