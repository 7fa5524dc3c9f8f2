import type { ApiObject, FieldError } from '../../api/index.ts';
import type { Resource, Strategy, WriteContext } from '../resource.ts';
import { checkObjectMeta, checkObjectMetaUpdate } from './object-meta.ts';
import { checkAgainstTable, checkImmutable } from './table-rules.ts';

/** Everything wrong with an object that is to be created: metadata, what its type says, what its kind says. */
export function validateNewObject(object: ApiObject, resource: Resource, context: WriteContext): FieldError[] {
  const { strategy, namespaced } = resource;
  return distinct([
    ...checkObjectMeta(object.metadata, { namespaced, strategy }),
    ...tableErrors(checkAgainstTable(object, resource.type), strategy),
    ...(strategy.validate?.(object, context) ?? []),
  ]);
}

/** Everything wrong with a change. */
export function validateChangedObject(
  object: ApiObject,
  old: ApiObject,
  {
    resource,
    strategy,
    context,
  }: { readonly resource: Resource; readonly strategy: Strategy; readonly context: WriteContext },
): FieldError[] {
  const meta = checkObjectMeta(object.metadata, { namespaced: resource.namespaced, strategy: resource.strategy });
  const metaUpdate = checkObjectMetaUpdate(object.metadata, old.metadata);
  const own = distinct([
    ...tableErrors(checkAgainstTable(object, resource.type), strategy),
    ...(strategy.validateUpdate?.(object, old, context) ?? []),
    ...tableErrors(checkImmutable(object, old, resource.type), strategy),
  ]);
  // Upstream checks metadata for every kind and again with the kind's own rules, and reports what it finds both times.
  return [...meta, ...metaUpdate, ...metaUpdate, ...meta, ...own];
}

function tableErrors(errors: readonly FieldError[], { adjustTableErrors }: Strategy): readonly FieldError[] {
  return errors.length === 0 ? errors : (adjustTableErrors?.(errors) ?? errors);
}

/** A kind's own rule and the table's may find the same thing; it is reported once. */
function distinct(errors: readonly FieldError[]): FieldError[] {
  if (errors.length < 2) return [...errors];
  const seen = new Set<string>();
  return errors.filter((error) => {
    const key = `${error.reason} ${error.field} ${JSON.stringify(error.value)} ${error.detail}`;
    if (seen.has(key)) return false;
    seen.add(key);
    return true;
  });
}
