import {
  type ApiObject,
  badRequest,
  canonicalize,
  DecodeError,
  invalid,
  invalidValue,
  type PatchContext,
  type Patched,
} from '../../api/index.ts';
import type { Endpoint } from '../endpoint.ts';
import { unregisteredKind } from '../request/decode-failure.ts';
import { resetsManagedFields, withEmptyManagedFields } from '../request/decode-object.ts';
import type { Resource, Strategy } from '../resource.ts';
import { apiVersionOf } from '../storage/stored-object.ts';

export interface PatchedContext extends PatchContext {
  /** The stored object that was patched, and its write rules; absent for objects that are not stored. */
  readonly stored?: { readonly object: ApiObject; readonly strategy: Strategy };
}

/** Decodes a patched object as strictly as if the client had sent it whole. */
export function decodePatched(patched: Patched, endpoint: Endpoint, context: PatchedContext): ApiObject {
  const { resource } = endpoint;
  const { stored } = context;
  const shared = stored?.strategy.sharesUnchanged === true ? stored : undefined;
  const { value, problems: found, explain } = patched;
  const problem = (detail: string): Error =>
    invalid({ group: '', resource: '' }, '', [invalidValue('patch', patched.quoted(), detail)]);
  if (resource.type.isStructural === true) checkTypeMeta(value, resource, context.name);
  const wrongKind = explain === undefined ? kindProblem(value, endpoint, context.name) : undefined;
  if (wrongKind !== undefined) throw problem(wrongKind);
  try {
    const unknown: string[] = [];
    const decoded = canonicalize(value, resource.type, {
      defaults: true,
      onUnknown: (path) => unknown.push(unknownText(path)),
      ...(shared === undefined ? {} : { known: withOwnMetadata(shared.object) }),
    });
    const problems = [...found, ...(explain === undefined ? unknown : unknown.sort())];
    if (problems.length > 0 && context.fieldValidation === 'Strict') {
      throw problem(`strict decoding error: ${problems.join(', ')}`);
    }
    if (context.fieldValidation === 'Warn') for (const text of problems) context.warn(text);
    const object = withKind(decoded as unknown as ApiObject, resource);
    (shared?.strategy ?? resource.strategy).applyDefaults?.(object);
    return resetsManagedFields(value) ? withEmptyManagedFields(object) : object;
  } catch (error) {
    if (error instanceof DecodeError) throw problem(explain?.() ?? error.message);
    throw error;
  }
}

/** Copies metadata even when it is unchanged, because it will be changed in place. */
function withOwnMetadata(object: ApiObject): ApiObject {
  return { ...object, metadata: { ...object.metadata } };
}

/** Objects of custom kinds may have any kind until they are validated. */
function checkTypeMeta(value: unknown, resource: Resource, name: string): void {
  const { kind, apiVersion } = (value ?? {}) as { readonly kind?: unknown; readonly apiVersion?: unknown };
  if (typeof kind !== 'string' || typeof apiVersion !== 'string' || kind === '' || apiVersion === '') return;
  const expected = apiVersionOf(resource);
  const errors = [
    ...(kind === resource.kind ? [] : [invalidValue('kind', kind, `must be ${resource.kind}`)]),
    ...(apiVersion === expected ? [] : [invalidValue('apiVersion', apiVersion, `must be ${expected}`)]),
  ];
  const slash = apiVersion.indexOf('/');
  const group = slash < 0 ? '' : apiVersion.slice(0, slash);
  if (errors.length > 0) throw invalid({ group, resource: kind }, name, errors);
}

function unknownText(path: string): string {
  return `unknown field "${path}"`;
}

/**
 * The error for a patched document whose kind was changed or removed; undefined when it is right. A document without a version is treated
 * like one without a name.
 */
function kindProblem(value: unknown, { resource, services }: Endpoint, name: string): string | undefined {
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

/** Sets kind and version from the path; they come first, as in all JSON output. */
function withKind(object: ApiObject, resource: Resource): ApiObject {
  const apiVersion = apiVersionOf(resource);
  if (object.kind === resource.kind && object.apiVersion === apiVersion) return object;
  const { kind: _1, apiVersion: _2, ...rest } = object;
  return { kind: resource.kind, apiVersion, ...rest };
}
