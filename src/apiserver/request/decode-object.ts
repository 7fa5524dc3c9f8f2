import { allAtOnce, type Steps, withPauses } from '../../base/index.ts';
import {
  bodyFormatOf,
  DecodeError,
  decodeJson,
  decodeProtobuf,
  type JsonBody,
  jsonDecoding,
  openProtobufEnvelope,
  parsedJson,
  sentBytes,
  typeMetaOf,
  YamlBody,
  StatusError,
} from '../../api/index.ts';
import type {
  ApiObject,
  Decoded,
  DecodeOptions,
  FieldValidation,
  JsonNode,
  SentJson,
  Struct,
  TypeMeta,
} from '../../api/index.ts';
import type { Services } from '../endpoint.ts';
import type { Resource } from '../resource.ts';
import { jsonText } from '../storage/storage-codec.ts';
import { apiVersionOf } from '../storage/stored-object.ts';
import type { Call } from './call.ts';
import { cannotHandle, checkKind, decodeFailure, unrecognized } from './decode-failure.ts';
import { bodyToDecode, jsonToDecode, LARGE_BYTES } from './large-body.ts';

export interface DecodeContext {
  readonly fieldValidation: FieldValidation;
  readonly services: Services;
}

/** Decodes the object in a request's body: checks its kind, brings it into canonical form and fills in defaults. */
export async function decodeObject(call: Call, resource: Resource, context: DecodeContext): Promise<ApiObject> {
  const format = bodyFormatOf(call.request.header('content-type') ?? '');
  const { services } = context;
  const sent = format === 'json' ? jsonToDecode(call.request, services) : bodyToDecode(call.request, services);
  const body = sent instanceof Promise ? await sent : sent;
  const target: DecodeTarget = {
    body,
    resource,
    context,
    warn: (text) => call.record.warnings.add(text),
    grown: (bytes) => {
      if (bytes > LARGE_BYTES) call.request.isLarge = true; // the rest of the request's work is done in slices
    },
  };
  const decoded =
    format === 'protobuf'
      ? decodeBinary(target)
      : call.request.isLarge
        ? await withPauses(decodeText(target, format), () => services.turns.take(true))
        : decodeTextNow(target, format);
  const object = withKind(decoded, resource);
  object.metadata ??= {};
  resource.strategy.applyDefaults?.(object);
  call.record.audit?.sent(object, (sent) => jsonText(sent as ApiObject, resource.type));
  return object;
}

/** As Go reads it, an apiVersion that says nothing. */
const NO_VERSION = '/';

/** Sets kind and apiVersion where the client left them out; they come first, as in all JSON output. */
function withKind(decoded: ApiObject, resource: Resource): ApiObject {
  if (decoded.kind !== undefined && decoded.apiVersion !== undefined && decoded.apiVersion !== NO_VERSION)
    return decoded;
  const { kind: _1, apiVersion: _2, ...rest } = decoded;
  return { kind: resource.kind, apiVersion: apiVersionOf(resource), ...rest };
}

interface DecodeTarget {
  readonly body: SentJson;
  readonly resource: Resource;
  readonly context: DecodeContext;
  warn(text: string): void;
  /** Called with how long the defaults are that were filled in. */
  grown(bytes: number): void;
}

/** A parsed body, from JSON or YAML. */
interface TextBody {
  readonly typeMeta: TypeMeta;
  readonly resetsManagedFields: boolean;
  decoding(type: Struct, options: DecodeOptions): Steps<Decoded>;
}

function jsonBody(sent: SentJson): TextBody {
  const body = parsedJson(sent);
  return {
    resetsManagedFields: isResetIn(body),
    get typeMeta() {
      return typeMetaOf(body);
    },
    decoding: (type, options) => jsonDecoding(body, type, options),
  };
}

function yamlBody(body: YamlBody): TextBody {
  return {
    get typeMeta() {
      return body.typeMeta;
    },
    resetsManagedFields: nodeResetsManagedFields(body.node),
    decoding: (type, options) => body.decoding(type, options),
  };
}

/** Decodes a text that is small enough to be decoded without a pause. */
function decodeTextNow(target: DecodeTarget, format: 'json' | 'yaml'): ApiObject {
  if (format === 'yaml') return allAtOnce(decodeText(target, format));
  let body: JsonBody | undefined;
  try {
    body = parsedJson(target.body);
    const { resource, context } = target;
    const isReset = isResetIn(body);
    const decoded = decodeJson(body, resource.type, { fieldValidation: context.fieldValidation, defaults: true });
    return objectOf(decoded, isReset, target);
  } catch (error) {
    throw textFailure(error, () => (body === undefined ? undefined : typeMetaOf(body)), target);
  }
}

function isResetIn(body: JsonBody): boolean {
  return body.survey.isPlain ? resetsManagedFields(body.peekValue()) : nodeResetsManagedFields(body.node);
}

function* decodeText(target: DecodeTarget, format: 'json' | 'yaml'): Steps<ApiObject> {
  let parsed: TextBody | undefined;
  try {
    parsed = format === 'json' ? jsonBody(target.body) : yamlBody(yield* YamlBody.parsing(sentBytes(target.body)));
    yield;
    return yield* decodeParsed(parsed, target);
  } catch (error) {
    throw textFailure(error, () => parsed?.typeMeta, target);
  }
}

function* decodeParsed(parsed: TextBody, target: DecodeTarget): Steps<ApiObject> {
  const { fieldValidation } = target.context;
  const { resetsManagedFields: isReset } = parsed;
  const decoded = yield* parsed.decoding(target.resource.type, { fieldValidation, defaults: true });
  return objectOf(decoded, isReset, target);
}

function objectOf(
  { value, warnings, filledBytes = 0 }: Decoded,
  isReset: boolean,
  { resource, context, warn, grown }: DecodeTarget,
): ApiObject {
  grown(filledBytes);
  checkKind(value, resource, context.services);
  for (const warning of warnings) warn(warning);
  const object = value as unknown as ApiObject;
  return isReset ? withEmptyManagedFields(object) : object;
}

function textFailure(error: unknown, typeMeta: () => TypeMeta | undefined, target: DecodeTarget): unknown {
  if (!(error instanceof DecodeError)) return error;
  if (error.reason === 'size') return tooLarge(error);
  const { resource, context } = target;
  const body = sentBytes(target.body);
  return decodeFailure(error, typeMeta, { body, resource, services: context.services });
}

function tooLarge({ message }: DecodeError): StatusError {
  const reason = 'RequestEntityTooLarge';
  return new StatusError({ code: 413, reason, message: `Request entity too large: ${message}` });
}

function decodeBinary({ body: sentBody, resource, context }: DecodeTarget): ApiObject {
  const { services } = context;
  const body = sentBytes(sentBody);
  let sent = { apiVersion: apiVersionOf(resource), kind: resource.kind };
  try {
    const { typeMeta, raw } = openProtobufEnvelope(body);
    sent = { ...typeMeta };
    checkKind(sent, resource, services);
    return decodeProtobuf(raw, resource.type, { defaults: true, typeMeta }) as unknown as ApiObject;
  } catch (error) {
    if (!(error instanceof DecodeError)) throw error;
    throw error.reason === 'syntax'
      ? unrecognized(resource, error.message, body)
      : cannotHandle(sent, resource, error.message);
  }
}

/**
 * Whether the client sent empty managedFields. Decoding drops the list, as it drops all empty lists, but this one means that all field
 * managers are removed.
 */
export function resetsManagedFields(sent: unknown): boolean {
  const entries = (sent as { metadata?: { managedFields?: unknown } } | null | undefined)?.metadata?.managedFields;
  return Array.isArray(entries) && entries.length === 0;
}

/** The same for JSON that was parsed exactly. */
function nodeResetsManagedFields(node: JsonNode): boolean {
  const entries = memberOf(memberOf(node, 'metadata'), 'managedFields');
  return entries?.kind === 'array' && entries.items.length === 0;
}

/** Restores the empty managedFields. */
export function withEmptyManagedFields(object: ApiObject): ApiObject {
  return { ...object, metadata: { ...object.metadata, managedFields: [] } };
}

function memberOf(node: JsonNode | undefined, name: string): JsonNode | undefined {
  return node?.kind === 'object' ? node.entries.findLast(({ key }) => key === name)?.value : undefined;
}
