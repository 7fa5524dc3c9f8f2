import { badRequest } from '../../api/index.ts';
import type { ApiObject } from '../../api/index.ts';
import { unregisteredKind } from '../request/decode-failure.ts';
import type { Endpoint } from '../endpoint.ts';
import type { Resource } from '../resource.ts';
import { apiVersionOf } from '../storage/stored-object.ts';

/**
 * What is said about a patched document that is of another kind than it was, or does not tell; undefined when it is of
 * the right one. A document without a version is read as one without a name.
 */
export function kindProblem(value: unknown, { resource, services }: Endpoint, name: string): string | undefined {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined;
  const { kind = null, apiVersion = null } = value as { readonly kind?: unknown; readonly apiVersion?: unknown };
  for (const [name, member] of [
    ['kind', kind],
    ['apiVersion', apiVersion],
  ] as const) {
    if (member === null || typeof member === 'string') continue;
    const type = Array.isArray(member) ? 'array' : typeof member === 'boolean' ? 'bool' : typeof member;
    return `couldn't get version/kind; json parse error: json: cannot unmarshal ${type} into Go struct field .${name} of type string`;
  }
  const sent = { kind: textOr(kind, resource.kind), apiVersion: textOr(apiVersion, '') };
  if (sent.apiVersion === '') {
    if (sent.kind === resource.kind) throw nameless(name);
    const [kindText, group] = [JSON.stringify(sent.kind), JSON.stringify(resource.group)];
    return `no kind ${kindText} is registered for the internal version of group ${group} in scheme "pkg/runtime/scheme.go:111"`;
  }
  if (sent.kind === resource.kind && sent.apiVersion === apiVersionOf(resource)) return undefined;
  return unregisteredKind(sent, resource, services);
}

function textOr(value: unknown, other: string): string {
  return typeof value === 'string' && value !== '' ? value : other;
}

function nameless(name: string): Error {
  return badRequest(`the name of the object (${name} based on URL) was undeterminable: name must be provided`);
}

/** The object with the kind and version that its path says it has; they come first, as in all JSON output. */
export function withKind(object: ApiObject, resource: Resource): ApiObject {
  const apiVersion = apiVersionOf(resource);
  if (object.kind === resource.kind && object.apiVersion === apiVersion) return object;
  const { kind: _1, apiVersion: _2, ...rest } = object;
  return { kind: resource.kind, apiVersion, ...rest };
}
