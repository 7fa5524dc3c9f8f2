import { badRequest, DecodeError, quoteGo, type TypeMeta } from '../../api/index.ts';
import type { Services } from '../endpoint.ts';
import type { Resource } from '../resource.ts';
import { apiVersionOf } from '../storage/stored-object.ts';

interface Sent {
  readonly apiVersion?: unknown;
  readonly kind?: unknown;
}

/** Rejects a kind or version that differs from the path's; a body without them is accepted. */
export function checkKind(sent: Sent, resource: Resource, services: Services): void {
  const kind = typeof sent.kind === 'string' ? sent.kind : '';
  const stated = typeof sent.apiVersion === 'string' ? sent.apiVersion : '';
  const apiVersion = stated === '/' ? '' : stated; // as Go reads it
  const expected = apiVersionOf(resource);
  if ((kind === '' || kind === resource.kind) && (apiVersion === '' || apiVersion === expected)) return;
  if (apiVersion.split('/').length > 2)
    throw new DecodeError('mismatch', `unexpected GroupVersion string: ${apiVersion}`);
  const actual = { kind: kind === '' ? resource.kind : kind, apiVersion: apiVersion === '' ? expected : apiVersion };
  const isOther = actual.kind === resource.kind && actual.apiVersion !== expected;
  if (isOther && (resource.type.isStructural === true || isRegistered(actual, services))) {
    throw badRequest(
      `the API version in the data (${actual.apiVersion}) does not match the expected API version (${expected})`,
    );
  }
  throw cannotHandle(actual, resource, unregisteredKind(actual, resource, services));
}

function isRegistered({ kind, apiVersion }: TypeMeta, services: Services): boolean {
  const slash = apiVersion.indexOf('/');
  const group = slash < 0 ? '' : apiVersion.slice(0, slash);
  const version = apiVersion.slice(slash + 1);
  if (services.types.kind({ group, version, kind }) !== undefined) return true;
  return /^v\d+(?:alpha|beta)\d+$/.test(version) && isKindOf(group, kind, services);
}

/** Whether another version of the group has the kind: versions that are no longer served stay registered. */
function isKindOf(group: string, kind: string, { types }: Services): boolean {
  const versions = types.resources().filter((resource) => resource.group === group);
  if (versions.length === 0) return group === 'extensions';
  return versions.some((resource) => resource.kind === kind || `${resource.kind}List` === kind);
}

/** The error for a kind that is not the resource's. */
export function unregisteredKind(sent: TypeMeta, resource: Resource, services: Services): string {
  const { kind, apiVersion } = sent;
  const version = apiVersion.slice(apiVersion.indexOf('/') + 1);
  const shown = apiVersion.startsWith('/') ? version : apiVersion;
  return isRegistered(sent, services)
    ? `converting (${version}.${kind}) to (${internalName(resource)}): unknown conversion`
    : `no kind ${quoteGo(kind)} is registered for version ${quoteGo(shown)} in scheme "pkg/runtime/scheme.go:111"`;
}

/** The name of the kind's internal type in messages: `core.Secret`. */
function internalName(resource: Resource): string {
  return `${resource.group === '' ? 'core' : (resource.group.split('.')[0] ?? '')}.${resource.kind}`;
}

export function cannotHandle(sent: Sent, resource: Resource, why: string): Error {
  const version =
    String(sent.apiVersion ?? '')
      .split('/')
      .at(-1) ?? '';
  return badRequest(
    `${String(sent.kind)} in version ${quoteGo(version)} cannot be handled as a ${resource.kind}: ${why}`,
  );
}

/** The error for a body that cannot be decoded: first its kind, if that can be found, then the problem. */
export function decodeFailure(
  error: DecodeError,
  typeMeta: () => TypeMeta | undefined,
  { body, resource, services }: { readonly body: Uint8Array; readonly resource: Resource; readonly services: Services },
): Error {
  try {
    const sent = typeMeta();
    if (sent === undefined) return unrecognized(resource, syntaxProblem(error, body), body);
    checkKind(sent, resource, services);
    const kind = sent.kind === '' ? resource.kind : sent.kind;
    return cannotHandle(
      { kind, apiVersion: sent.apiVersion === '' ? apiVersionOf(resource) : sent.apiVersion },
      resource,
      error.message,
    );
  } catch (failure) {
    if (failure instanceof DecodeError) return unrecognized(resource, failure.message, body);
    return failure as Error;
  }
}

/** The error for a body that cannot be parsed; YAML and protobuf have their own messages. */
function syntaxProblem(error: DecodeError, body: Uint8Array): string {
  const isJson = body.length === 0 || !error.message.startsWith('yaml: ');
  return isJson ? `couldn't get version/kind; json parse error: ${error.message}` : error.message;
}

const SUMMARY_BYTES = 30;
const OPENING_BRACE = 0x7b;

export function unrecognized(resource: Resource, why: string, body: Uint8Array): Error {
  return badRequest(
    `the object provided is unrecognized (must be of type ${resource.kind}): ${why} (${summaryOf(body)})`,
  );
}

/** The start of a body: as text when it looks like an object, otherwise in hexadecimal. */
function summaryOf(body: Uint8Array): string {
  if (body.length === 0) return '<empty>';
  const bytes = Buffer.from(body.buffer, body.byteOffset, body.byteLength);
  const isText = bytes[0] === OPENING_BRACE;
  const start = isText ? bytes.toString('utf8', 0, SUMMARY_BYTES) : bytes.toString('hex', 0, SUMMARY_BYTES);
  return bytes.length > SUMMARY_BYTES ? `${start} ...` : start;
}
