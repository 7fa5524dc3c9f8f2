import type { AdmissionResponse } from '../../api/types/admission/v1.d.ts';
import {
  type ApiObject,
  applyJsonPatch,
  canonicalObject,
  DecodeError,
  type GroupVersionKind,
  internalError,
  JsonBody,
  JsonPatchError,
  type JsonPatchOperation,
  type Struct,
} from '../../api/index.ts';
import type { AdmissionAttributes } from '../../apiserver/index.ts';
import { messageOf } from '../../base/index.ts';
import { HookFailure } from './hook-failure.ts';

/** Same limit as for clients' patches. */
const MAX_OPERATIONS = 10_000;
const UNAVAILABLE = 503;
const TYPE_META =
  'Go value of type struct { APIVersion string "json:\\"apiVersion,omitempty\\""; Kind string "json:\\"kind,omitempty\\"" }';

/** The object as changed by a webhook, with all defaults; undefined when it was not changed. */
export function patchedObject(
  webhook: string,
  { patch = '', patchType = '' }: AdmissionResponse,
  attributes: AdmissionAttributes,
): PatchedObject | undefined {
  const operations = patch === '' ? [] : readPatch(webhook, patch);
  if (operations.length === 0) return undefined;
  const { object } = attributes;
  if (object === undefined) {
    const what = `admission webhook ${JSON.stringify(webhook)} attempted to modify the object`;
    throw internalError(`${what}, which is not supported for this operation`);
  }
  if (patchType !== 'JSONPatch') {
    throw new HookFailure(webhook, { message: `unsupported patch type ${JSON.stringify(patchType)}`, code: 400 });
  }
  return { object: decoded(applied(object, operations), attributes), operations };
}

export interface PatchedObject {
  readonly object: ApiObject;
  readonly operations: readonly JsonPatchOperation[];
}

function readPatch(webhook: string, patch: string): readonly JsonPatchOperation[] {
  const fail = (message: string, cause?: unknown): never => {
    const code = UNAVAILABLE;
    throw new HookFailure(
      webhook,
      { message: `received undecodable patch in webhook response: ${message}`, code },
      cause,
    );
  };
  let value: unknown;
  try {
    value = new JsonBody(Buffer.from(patch, 'base64')).peekValue();
  } catch (error) {
    return fail(messageOf(error), error);
  }
  if (value === null) return [];
  if (!Array.isArray(value))
    return fail(`json: cannot unmarshal ${goKind(value)} into Go value of type jsonpatch.Patch`);
  if (value.length > MAX_OPERATIONS) return fail(`more than ${MAX_OPERATIONS} operations`);
  const odd = value.find((operation) => operation !== null && goKind(operation) !== 'object') as unknown;
  if (odd !== undefined) return fail(`json: cannot unmarshal ${goKind(odd)} into Go value of type jsonpatch.Operation`);
  return value as readonly JsonPatchOperation[];
}

function goKind(value: unknown): string {
  if (Array.isArray(value)) return 'array';
  return typeof value === 'boolean' ? 'bool' : typeof value;
}

function applied(object: ApiObject, operations: readonly JsonPatchOperation[]): unknown {
  try {
    return applyJsonPatch(object, operations);
  } catch (error) {
    if (error instanceof JsonPatchError) throw internalError(error);
    throw error;
  }
}

/** Decodes the result as the original kind. Unknown fields are dropped; values that do not fit are refused. */
function decoded(value: unknown, { resource, subresource, kind: wanted }: AdmissionAttributes): ApiObject {
  checkKind(value, wanted);
  const below = resource.subresources.get(subresource);
  const isOwn = wanted.kind === resource.kind && wanted.group === resource.group;
  const type: Struct = isOwn || below === undefined || below.type === 'view' ? resource.type : below.struct;
  try {
    const { kind: _1, apiVersion: _2, ...members } = canonicalObject(value, type, { defaults: true });
    const object: ApiObject = { kind: wanted.kind, apiVersion: apiVersionOf(wanted), ...members };
    if (isOwn) {
      object.metadata ??= {};
      resource.strategy.applyDefaults?.(object);
    }
    return object;
  } catch (error) {
    if (error instanceof DecodeError) throw internalError(error);
    throw error;
  }
}

/** Kind and version may be missing, and must not be others. */
function checkKind(value: unknown, wanted: GroupVersionKind): void {
  if (goKind(value) !== 'object') {
    const problem = `couldn't get version/kind; json parse error: json: cannot unmarshal ${goKind(value)} into`;
    throw internalError(`${problem} ${TYPE_META}`);
  }
  const { kind, apiVersion } = value as Partial<ApiObject>;
  const got = { kind: kind || wanted.kind, apiVersion: apiVersion || apiVersionOf(wanted) };
  if (got.kind === wanted.kind && got.apiVersion === apiVersionOf(wanted)) return;
  const [name, version] = [JSON.stringify(got.kind), JSON.stringify(got.apiVersion)];
  throw internalError(`no kind ${name} is registered for version ${version} in scheme "pkg/runtime/scheme.go:111"`);
}

function apiVersionOf({ group, version }: GroupVersionKind): string {
  return group === '' ? version : `${group}/${version}`;
}
