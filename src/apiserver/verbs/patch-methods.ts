import { applyJsonPatch, applyMergePatch, badRequest, DecodeError, JsonBody, JsonPatchError, StatusError } from '../../api/index.ts';
import type { JsonPatchOperation } from '../../api/index.ts';
import type { Call } from '../request/call.ts';
import type { FieldValidation } from '../request/options.ts';

/** One way to write a patch; reads the body once and applies it as often as needed. */
export interface PatchMethod {
  prepare(body: Uint8Array, context: PatchContext): (current: unknown) => unknown;
}

export interface PatchContext {
  readonly fieldValidation: FieldValidation;
  warn(message: string): void;
}

/** By content type. Strategic merge and apply have their place here. */
const methods: ReadonlyMap<string, PatchMethod> = new Map<string, PatchMethod>([
  ['application/json-patch+json', { prepare: prepareJsonPatch }],
  ['application/merge-patch+json', { prepare: prepareMergePatch }],
]);

export function patchMethodOf(call: Call): PatchMethod {
  const contentType = (call.header('content-type') ?? '').split(';', 1)[0]?.trim() ?? '';
  const method = methods.get(contentType);
  if (method !== undefined) return method;
  throw new StatusError({
    code: 415,
    reason: 'UnsupportedMediaType',
    message: `the body of the request was in an unknown format - accepted media types include: ${[...methods.keys()].join(', ')}`,
  });
}

const MAX_OPERATIONS = 10_000;

function prepareJsonPatch(body: Uint8Array): (current: unknown) => unknown {
  const operations = parsePatch(body);
  if (!Array.isArray(operations)) {
    throw badRequest(`error decoding patch: json: cannot unmarshal ${jsonTypeOf(operations)} into Go value of type []handlers.jsonPatchOp`);
  }
  if (operations.length > MAX_OPERATIONS) {
    throw new StatusError({
      code: 413,
      reason: 'RequestEntityTooLarge',
      message: `Request entity too large: The allowed maximum operations in a JSON patch is ${MAX_OPERATIONS}, got ${operations.length}`,
    });
  }
  return (current) => {
    try {
      return applyJsonPatch(current, operations as JsonPatchOperation[]);
    } catch (error) {
      if (!(error instanceof JsonPatchError)) throw error;
      throw unprocessable(error);
    }
  };
}

function unprocessable(error: JsonPatchError): StatusError {
  return new StatusError(
    {
      code: 422,
      reason: 'Invalid',
      message: 'the server rejected our request due to an error in our request',
      details: {},
    },
    { cause: error },
  );
}

function prepareMergePatch(body: Uint8Array): (current: unknown) => unknown {
  const patch = parsePatch(body);
  if (typeof patch !== 'object' || patch === null || Array.isArray(patch)) {
    throw badRequest(`error decoding patch: json: cannot unmarshal ${jsonTypeOf(patch)} into Go value of type map[string]interface {}`);
  }
  return (current) => applyMergePatch(current, patch);
}

function parsePatch(body: Uint8Array): unknown {
  try {
    return new JsonBody(body).takeValue();
  } catch (error) {
    if (error instanceof DecodeError) throw badRequest(`error decoding patch: ${error.message}`, { cause: error });
    throw error;
  }
}

function jsonTypeOf(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  return typeof value === 'boolean' ? 'bool' : typeof value;
}
