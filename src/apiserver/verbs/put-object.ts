import { type ApiObject, withMeta } from '../../api/index.ts';
import { isStoreError } from '../../store/index.ts';
import type { Endpoint } from '../endpoint.ts';
import { type WriteOptions } from '../storage/object-store.ts';
import { isConflicting, type PutConflict } from '../storage/put-conflict.ts';
import { convertForReading, convertForStoring, type Waiting } from '../storage/conversion.ts';
import type { StoredObject } from '../storage/stored-object.ts';

export interface PutOptions extends WriteOptions {
  /** The write fails rather than lose managedFields. */
  readonly keepsManagedFields: boolean;
  readonly writer: Waiting;
}

/**
 * Stores an object, and converts the result to the version in which it was written. An object that is too large with its
 * managedFields is stored without them, since they can be large themselves.
 */
export async function putObject(
  key: string,
  object: ApiObject,
  { endpoint, options }: { readonly endpoint: Endpoint; readonly options: PutOptions },
): Promise<StoredObject | PutConflict> {
  const { resource, objects } = endpoint;
  const put = async (written: ApiObject): Promise<StoredObject | PutConflict> => {
    const stored = await objects.put(key, await convertForStoring(written, resource, options.writer), options);
    if (!isConflicting(stored)) await convertForReading([stored], resource, options.writer);
    return stored;
  };
  try {
    return await put(object);
  } catch (error) {
    if (options.keepsManagedFields || object.metadata.managedFields === undefined || !isStoreError(error, 'TooLarge'))
      throw error;
    const bare = { ...object, metadata: withMeta(object.metadata, { managedFields: undefined }) };
    return put(bare);
  }
}
