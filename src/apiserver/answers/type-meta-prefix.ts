import { Buffer } from 'node:buffer';
import type { ServedKind } from '../served-kind.ts';
import { apiVersionOf } from '../storage/stored-object.ts';

const prefixes = new WeakMap<ServedKind, Uint8Array>();

/** What the JSON of every object of a resource begins with: `{"kind":"Pod","apiVersion":"v1",`. */
export function typeMetaPrefix(resource: ServedKind): Uint8Array {
  const known = prefixes.get(resource);
  if (known !== undefined) return known;
  const prefix = Buffer.from(
    `{"kind":${JSON.stringify(resource.kind)},"apiVersion":${JSON.stringify(apiVersionOf(resource))},`,
  );
  prefixes.set(resource, prefix);
  return prefix;
}
