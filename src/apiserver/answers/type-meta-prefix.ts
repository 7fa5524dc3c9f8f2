import { Buffer } from 'node:buffer';
import type { Resource } from '../resource.ts';
import { apiVersionOf } from '../storage/stored-object.ts';

const prefixes = new WeakMap<Resource, Uint8Array>();

/** What the JSON of every object of a resource begins with: `{"kind":"Pod","apiVersion":"v1",`. */
export function typeMetaPrefix(resource: Resource): Uint8Array {
  const known = prefixes.get(resource);
  if (known !== undefined) return known;
  const prefix = Buffer.from(
    `{"kind":${JSON.stringify(resource.kind)},"apiVersion":${JSON.stringify(apiVersionOf(resource))},`,
  );
  prefixes.set(resource, prefix);
  return prefix;
}
