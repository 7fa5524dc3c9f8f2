import { type ApiObject, canonicalObject, type Struct } from '../../api/index.ts';
import type { Resource } from '../resource.ts';
import { apiVersionOf, renamed, StoredObject } from './stored-object.ts';

/** The call or write that waits for a conversion. Its signal is created on first use. */
export interface Waiting {
  readonly signal: AbortSignal;
}

/**
 * Makes sure that stored objects can be read in the version of `resource`. Verbs do this in a separate step, for all objects of an answer
 * at once, because it may call a webhook; it is synchronous when nothing has to be converted.
 */
export function convertForReading(
  objects: readonly (StoredObject | ApiObject)[],
  resource: Resource,
  reader: Waiting,
): void | Promise<void> {
  const { convert } = resource.storage;
  if (convert === undefined) return undefined;
  const missing = objects.filter(
    (object): object is StoredObject => object instanceof StoredObject && !object.isReadableAs(resource),
  );
  if (missing.length === 0) return undefined;
  const converted = convert(
    missing.map(({ object }) => object),
    apiVersionOf(resource),
    reader.signal,
  );
  const keep = (results: readonly ApiObject[]): void => {
    for (const [index, stored] of missing.entries()) stored.keepAs(resource, results[index] as ApiObject);
  };
  if (converted instanceof Promise) return converted.then(keep);
  keep(converted);
}

/** Converts a written object to the stored version. */
export function convertForStoring(
  object: ApiObject,
  { storage }: Resource,
  writer: Waiting,
): ApiObject | Promise<ApiObject> {
  if (object.apiVersion === storage.apiVersion && object.kind === storage.kind)
    return lacksDefault(object, storage.type) ? asRead(object, storage.type) : object;
  const named = (converted: ApiObject | undefined): ApiObject => {
    const result = { ...(converted ?? object), kind: storage.kind, apiVersion: storage.apiVersion };
    // Custom kinds are always read by the schema of the stored version, so it is applied from the start.
    if (storage.type.isStructural !== true) return result;
    return asRead(result, storage.type);
  };
  const converted = storage.convert?.([object], storage.apiVersion, writer.signal);
  return converted instanceof Promise ? converted.then(([first]) => named(first)) : named(converted?.[0]);
}

/** A written object as clients would read it if it were stored: for dry runs. */
export async function asIfStored(object: ApiObject, resource: Resource, writer: Waiting): Promise<ApiObject> {
  const { storage } = resource;
  if (storage.type.isStructural !== true) return object;
  const stored = await convertForStoring(object, resource, writer);
  const apiVersion = apiVersionOf(resource);
  if (stored.apiVersion === apiVersion) return stored;
  const converted = await storage.convert?.([stored], apiVersion, writer.signal);
  return renamed(converted?.[0] ?? stored, resource);
}

/**
 * Whether a member that has a default was removed from a custom object after decoding, such as its status; reading would add the default.
 */
function lacksDefault(object: ApiObject, type: Struct): boolean {
  if (type.isStructural !== true) return false;
  return type.fields.some(({ name, shape }) => shape.constraints?.default !== undefined && object[name] === undefined);
}

function asRead(object: ApiObject, type: Struct): ApiObject {
  return canonicalObject(object, type, { defaults: true });
}
