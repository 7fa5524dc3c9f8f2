import { type ApiObject, withMeta } from '../../api/index.ts';
import type { Endpoint } from '../endpoint.ts';
import type { WriteContext } from '../resource.ts';

/** The object with its field managers after a plain write over `live`: the writer owns what it has changed. */
export async function owned(
  object: ApiObject,
  live: ApiObject,
  { endpoint, context }: { readonly endpoint: Endpoint; readonly context: WriteContext },
): Promise<ApiObject> {
  const { resource, services } = endpoint;
  const managedFields = await services.ownership.afterWrite(object, live, { resource, context });
  if (object.metadata.managedFields === managedFields) return object;
  return { ...object, metadata: withMeta(object.metadata, { managedFields }) };
}
