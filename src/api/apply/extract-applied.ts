import type { PlainObject } from '../json/index.ts';
import { isPlainObject } from '../json/plain-object.ts';
import type { ApiObject } from '../object.ts';
import type { Struct } from '../schema/schema.ts';
import { decodeManagedFields } from './decode-managed-fields.ts';
import { extractItems } from './extract-items.ts';
import { mergeTypeOf } from './merge-type.ts';

/**
 * The configuration that a manager has applied, as far as it still owns it: to be changed and applied again. Of an object
 * that the manager has not applied it only says which one it is.
 *
 * Ends: with a FieldsError when nobody can read the object's managedFields.
 */
export function extractApplied(
  object: ApiObject,
  type: Struct,
  { manager, subresource = '' }: { readonly manager: string; readonly subresource?: string },
): PlainObject {
  const { kind, apiVersion, metadata } = object;
  const { name, namespace } = metadata;
  const applier = [...decodeManagedFields(metadata.managedFields).values()].find(
    (one) => one.operation === 'Apply' && one.name === manager && one.subresource === subresource,
  );
  const extracted = applier === undefined ? {} : extractItems(object, applier.set, mergeTypeOf(type));
  const config = isPlainObject(extracted) ? extracted : {};
  const own = isPlainObject(config['metadata']) ? config['metadata'] : {};
  const place = { ...(name === undefined ? {} : { name }), ...(namespace === undefined ? {} : { namespace }) };
  return { apiVersion, kind, ...config, metadata: { ...place, ...own } };
}
