import {
  DecodeError,
  decodeJson,
  decodeProtobuf,
  JsonBody,
  openProtobufEnvelope,
  typeMetaOf,
  YamlBody,
} from '../../api/index.ts';
import type { ApiObject, Decoded, DecodeOptions, Struct, TypeMeta } from '../../api/index.ts';
import type { Services } from '../endpoint.ts';
import type { Resource } from '../resource.ts';
import { apiVersionOf } from '../storage/stored-object.ts';
import type { Call } from './call.ts';
import { cannotHandle, checkKind, decodeFailure, unrecognized } from './decode-failure.ts';
import { bodyFormat } from './media-type.ts';
import type { FieldValidation } from './options.ts';
import { nodeResetsManagedFields, resetsManagedFields, withoutManagedFields } from './reset-managed-fields.ts';

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

/** A parsed text, JSON or YAML alike. */
interface TextBody {
  readonly typeMeta: TypeMeta;
  readonly resetsManagedFields: boolean;
  decode(type: Struct, options: DecodeOptions): Decoded;
}

function jsonBody(bytes: Uint8Array): TextBody {
  const body = new JsonBody(bytes);
  return {
    resetsManagedFields: body.survey.isPlain
      ? resetsManagedFields(body.peekValue())
      : nodeResetsManagedFields(body.node),
    get typeMeta() {
      return typeMetaOf(body);
    },
    decode: (type, options) => decodeJson(body, type, options),
  };
}

function yamlBody(bytes: Uint8Array): TextBody {
  const body = new YamlBody(bytes);
  return {
    get typeMeta() {
      return body.typeMeta;
    },
    resetsManagedFields: nodeResetsManagedFields(body.node),
    decode: (type, options) => body.decode(type, options),
  };
}

function decodeText({ body, resource, context, warn }: DecodeTarget, format: 'json' | 'yaml'): ApiObject {
  const { fieldValidation, services } = context;
  let parsed: TextBody | undefined;
  try {
    parsed = format === 'yaml' ? yamlBody(body) : jsonBody(body);
    const { resetsManagedFields: isReset } = parsed;
    const { value, warnings } = parsed.decode(resource.type, { fieldValidation, defaults: true });
    checkKind(value, resource, services);
    for (const warning of warnings) warn(warning);
    const object = value as unknown as ApiObject;
    return isReset ? withoutManagedFields(object) : object;
  } catch (error) {
    if (error instanceof DecodeError) throw decodeFailure(error, () => parsed?.typeMeta, { body, resource, services });
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
    throw error.reason === 'syntax'
      ? unrecognized(resource, error.message, body)
      : cannotHandle(sent, resource, error.message);
  }
}
