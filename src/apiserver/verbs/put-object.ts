import { withMeta } from '../../api/index.ts';
import type { ApiObject } from '../../api/index.ts';
import { isStoreError } from '../../store/index.ts';
import type { Endpoint } from '../endpoint.ts';
import type { PutConflict, WriteOptions } from '../storage/object-store.ts';
import { convertToStored } from '../storage/stored-object.ts';
import type { StoredObject } from '../storage/stored-object.ts';

export interface PutOptions extends WriteOptions {
  /** Owners matter more than the write: nothing is stored without them. */
  readonly keepsOwners: boolean;
}

/** Stores an object; one that is too large with its owners is stored without them, since they can be large themselves. */
export async function putObject(
  key: string,
  object: ApiObject,
  { endpoint, options }: { readonly endpoint: Endpoint; readonly options: PutOptions },
): Promise<StoredObject | PutConflict> {
  const { resource, objects } = endpoint;
  try {
    return await objects.put(key, convertToStored(object, resource), options);
  } catch (error) {
    if (options.keepsOwners || object.metadata.managedFields === undefined || !isStoreError(error, 'TooLarge'))
      throw error;
    const bare = { ...object, metadata: withMeta(object.metadata, { managedFields: undefined }) };
    return objects.put(key, convertToStored(bare, resource), options);
  }
}
