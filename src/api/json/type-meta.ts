import { DecodeError } from '../../base/index.ts';
import type { JsonBody } from './json-body.ts';
import type { JsonNode } from './json-node.ts';
import { isPlainObject, type PlainObject } from './plain-object.ts';

export interface TypeMeta {
  readonly apiVersion: string;
  readonly kind: string;
}

const PREFIX = "couldn't get version/kind; json parse error: ";
const TYPE = String.raw`struct { APIVersion string "json:\"apiVersion,omitempty\""; Kind string "json:\"kind,omitempty\"" }`;

/**
 * The kind and apiVersion of a body; empty strings if it has none. Read as Kubernetes does: of keys that differ only in
 * case, the last one wins.
 *
 * Throws a DecodeError if the body is not an object, or if one of the two is not a string.
 */
export function typeMetaOf(body: JsonBody): TypeMeta {
  return plainTypeMeta(body.peekValue()) ?? typeMetaOfNode(body.node);
}

/** The usual case: both are strings or absent, and no other key resembles them. */
function plainTypeMeta(value: unknown): TypeMeta | undefined {
  if (!isPlainObject(value)) return undefined;
  for (const key in value) {
    if (key === 'apiVersion' || key === 'kind') {
      if (typeof value[key] !== 'string') return undefined;
    } else if ((key.length === 4 || key.length === 10) && nameOf(key) !== undefined) {
      return undefined;
    }
  }
  return { apiVersion: ownString(value, 'apiVersion'), kind: ownString(value, 'kind') };
}

/** The same for a value that was not parsed from JSON. */
export function typeMetaOfNode(node: JsonNode): TypeMeta {
  const found = { apiVersion: '', kind: '' };
  if (node.kind === 'null') return found;
  if (node.kind !== 'object') throw mismatch(`${node.kind} into Go value of type ${TYPE}`);
  for (const { key, value } of node.entries) {
    const name = nameOf(key);
    if (name === undefined || value.kind === 'null') continue;
    if (value.kind !== 'string') throw mismatch(`${value.kind} into Go struct field .${name} of type string`);
    found[name] = value.value;
  }
  return found;
}

function nameOf(key: string): keyof TypeMeta | undefined {
  const lower = key.toLowerCase();
  return lower === 'kind' ? 'kind' : lower === 'apiversion' ? 'apiVersion' : undefined;
}

function ownString(value: PlainObject, key: keyof TypeMeta): string {
  return Object.hasOwn(value, key) ? String(value[key]) : '';
}

function mismatch(problem: string): DecodeError {
  return new DecodeError('mismatch', `${PREFIX}json: cannot unmarshal ${problem}`);
}
