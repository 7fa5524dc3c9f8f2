import { type ApiObject, withMeta } from '../../api/index.ts';
import { isStoreError } from '../../store/index.ts';
import type { Endpoint } from '../endpoint.ts';
import { type WriteOptions } from '../storage/object-store.ts';
import { isConflicting, type PutConflict } from '../storage/put-conflict.ts';
import { convertForReading, convertForStoring, type Waiting } from '../storage/conversion.ts';
import type { StoredObject } from '../storage/stored-object.ts';

export interface PutOptions extends WriteOptions {
  /** Whether the write fails rather than lose managedFields. */
  readonly keepsManagedFields: boolean;
  readonly writer: Waiting;
}

/**
 * Stores an object, and converts the result to the version in which it was written. An object that is too large because of its
 * managedFields is stored without them.
 */
export function putObject(
  key: string,
  object: ApiObject,
  { endpoint, options }: { readonly endpoint: Endpoint; readonly options: PutOptions },
): Promise<StoredObject | PutConflict> {
  const { resource, objects } = endpoint;
  const converted = convertForStoring(object, resource, options.writer);
  const storing =
    converted instanceof Promise
      ? converted.then((form) => objects.put(key, form, options))
      : objects.put(key, converted, options);
  const readable = (stored: StoredObject | PutConflict): typeof stored | Promise<typeof stored> => {
    const converting = isConflicting(stored) ? undefined : convertForReading([stored], resource, options.writer);
    return converting === undefined ? stored : converting.then(() => stored);
  };
  return storing.then(resource.storage.convert === undefined ? undefined : readable, (error: unknown) => {
    if (options.keepsManagedFields || object.metadata.managedFields === undefined || !isStoreError(error, 'TooLarge'))
      throw error;
    const bare = { ...object, metadata: withMeta(object.metadata, { managedFields: undefined }) };
    return putObject(key, bare, { endpoint, options });
  });
}
