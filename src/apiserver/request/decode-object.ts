import { badRequest, DecodeError, decodeJson, decodeProtobuf, decodeYaml, JsonBody, openProtobufEnvelope, typeMetaOf } from '../../api/index.ts';
import type { ApiObject } from '../../api/index.ts';
import type { Services } from '../endpoint.ts';
import type { Resource } from '../resource.ts';
import { apiVersionOf } from '../storage/stored-object.ts';
import type { Call } from './call.ts';
import { bodyFormat } from './media-type.ts';
import type { FieldValidation } from './options.ts';

export interface DecodeContext {
  readonly fieldValidation: FieldValidation;
  readonly services: Services;
}

/** Reads the object in a request's body: of the right kind, in canonical form, with all defaults filled in. */
export async function decodeObject(call: Call, resource: Resource, context: DecodeContext): Promise<ApiObject> {
  const format = bodyFormat(call);
  const body = await call.body(context.services.maxBodyBytes);
  const target: DecodeTarget = { body, resource, context, warn: (text) => call.warnings.add(text) };
  const object = withKind(format === 'protobuf' ? decodeBinary(target) : decodeText(target, format), resource);
  object.metadata ??= {};
  resource.strategy.applyDefaults?.(object);
  return object;
}

/** Sets kind and apiVersion where the client left them out; they come first, as in all JSON output. */
function withKind(decoded: ApiObject, resource: Resource): ApiObject {
  if (decoded.kind !== undefined && decoded.apiVersion !== undefined) return decoded;
  const { kind: _1, apiVersion: _2, ...rest } = decoded;
  return { kind: resource.kind, apiVersion: apiVersionOf(resource), ...rest };
}

interface DecodeTarget {
  readonly body: Uint8Array;
  readonly resource: Resource;
  readonly context: DecodeContext;
  warn(text: string): void;
}

function decodeText({ body, resource, context, warn }: DecodeTarget, format: 'json' | 'yaml'): ApiObject {
  const { fieldValidation, services } = context;
  let parsed: JsonBody | undefined;
  try {
    if (format === 'yaml') {
      const { value, warnings } = decodeYaml(body, resource.type, { fieldValidation, defaults: true });
      checkKind(value, resource, services);
      for (const warning of warnings) warn(warning);
      return value as unknown as ApiObject;
    }
    parsed = new JsonBody(body);
    const { value, warnings } = decodeJson(parsed, resource.type, { fieldValidation, defaults: true });
    checkKind(value, resource, services);
    for (const warning of warnings) warn(warning);
    return value as unknown as ApiObject;
  } catch (error) {
    if (error instanceof DecodeError) throw decodeFailure(error, parsed, { body, resource, services });
    throw error;
  }
}

function decodeBinary({ body, resource, context }: DecodeTarget): ApiObject {
  const { services } = context;
  let sent = { apiVersion: apiVersionOf(resource), kind: resource.kind };
  try {
    const { typeMeta, raw } = openProtobufEnvelope(body);
    sent = { ...typeMeta };
    checkKind(sent, resource, services);
    return decodeProtobuf(raw, resource.type, { defaults: true, typeMeta }) as unknown as ApiObject;
  } catch (error) {
    if (!(error instanceof DecodeError)) throw error;
    throw error.reason === 'syntax' ? unrecognized(resource, error.message, body) : cannotHandle(sent, resource, error.message);
  }
}

interface Sent {
  readonly apiVersion?: unknown;
  readonly kind?: unknown;
}

/** Refuses another kind or version than the path's; a body that does not say is taken to be right. */
function checkKind(sent: Sent, resource: Resource, services: Services): void {
  const kind = typeof sent.kind === 'string' ? sent.kind : '';
  const apiVersion = typeof sent.apiVersion === 'string' ? sent.apiVersion : '';
  const expected = apiVersionOf(resource);
  if ((kind === '' || kind === resource.kind) && (apiVersion === '' || apiVersion === expected)) return;
  const actual = { kind: kind === '' ? resource.kind : kind, apiVersion: apiVersion === '' ? expected : apiVersion };
  if (actual.kind === resource.kind && actual.apiVersion !== expected) {
    throw badRequest(
      `the API version in the data (${actual.apiVersion}) does not match the expected API version (${expected})`,
    );
  }
  const slash = actual.apiVersion.indexOf('/');
  const version = actual.apiVersion.slice(slash + 1);
  const group = slash < 0 ? '' : actual.apiVersion.slice(0, slash);
  const isKnown = services.types.kind({ group, version, kind: actual.kind }) !== undefined;
  const why = isKnown
    ? `converting (${version}.${actual.kind}) to (${internalName(resource)}): unknown conversion`
    : `no kind ${JSON.stringify(actual.kind)} is registered for version ${JSON.stringify(actual.apiVersion)} in scheme "pkg/runtime/scheme.go:111"`;
  throw cannotHandle(actual, resource, why);
}

/** The name of the kind's unversioned form, as messages have it: `core.Secret`. */
function internalName(resource: Resource): string {
  return `${resource.group === '' ? 'core' : (resource.group.split('.')[0] ?? '')}.${resource.kind}`;
}

function cannotHandle(sent: Sent, resource: Resource, why: string): Error {
  const version = String(sent.apiVersion ?? '').split('/').at(-1) ?? '';
  return badRequest(`${String(sent.kind)} in version ${JSON.stringify(version)} cannot be handled as a ${resource.kind}: ${why}`);
}

/** Says first what the body is, if that can be found out, and then what is wrong with it. */
function decodeFailure(
  error: DecodeError,
  parsed: JsonBody | undefined,
  { body, resource, services }: { readonly body: Uint8Array; readonly resource: Resource; readonly services: Services },
): Error {
  if (parsed === undefined) {
    const isJson = body.length === 0 || body[0] === OPENING_BRACE;
    const why = isJson ? `couldn't get version/kind; json parse error: ${error.message}` : error.message;
    return unrecognized(resource, why, body);
  }
  try {
    const sent = typeMetaOf(parsed);
    checkKind(sent, resource, services);
    const kind = sent.kind === '' ? resource.kind : sent.kind;
    return cannotHandle({ kind, apiVersion: sent.apiVersion === '' ? apiVersionOf(resource) : sent.apiVersion }, resource, error.message);
  } catch (failure) {
    if (failure instanceof DecodeError) return unrecognized(resource, failure.message, body);
    return failure as Error;
  }
}

const SUMMARY_BYTES = 30;
const OPENING_BRACE = 0x7b;

function unrecognized(resource: Resource, why: string, body: Uint8Array): Error {
  return badRequest(`the object provided is unrecognized (must be of type ${resource.kind}): ${why} (${summaryOf(body)})`);
}

/** The start of a body: as text when it looks like an object, in hexadecimal otherwise. */
function summaryOf(body: Uint8Array): string {
  if (body.length === 0) return '<empty>';
  const bytes = Buffer.from(body.buffer, body.byteOffset, body.byteLength);
  const isText = bytes[0] === OPENING_BRACE;
  const start = isText ? bytes.toString('utf8', 0, SUMMARY_BYTES) : bytes.toString('hex', 0, SUMMARY_BYTES);
  return bytes.length > SUMMARY_BYTES ? `${start} ...` : start;
}
