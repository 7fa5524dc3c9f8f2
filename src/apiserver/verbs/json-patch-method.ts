import {
  applyJsonPatch,
  badRequest,
  encodeJson,
  inTouchedOrder,
  JsonPatchError,
  StatusError,
  touchedBy,
} from '../../api/index.ts';
import type { JsonPatchOperation } from '../../api/index.ts';
import { isObject, jsonTypeOf, readPatch } from './patch-body.ts';
import type { PatchContext, Patched } from './patch-method.ts';

const MAX_OPERATIONS = 10_000;
const DECODING = 'error decoding patch: ';

export function prepareJsonPatch(body: Uint8Array, context: PatchContext): (current: unknown) => Patched {
  const { value: operations, duplicates } = readPatch(body, context, DECODING);
  if (!Array.isArray(operations)) throw mismatch(operations, 'Go value of type []handlers.jsonPatchOp');
  for (const operation of operations) checkOperation(operation);
  if (operations.length > MAX_OPERATIONS) throw tooMany(operations.length);
  const problems = [...operations.flatMap(unknownMembers), ...duplicates].map((text) => `json patch ${text}`);
  const touched = touchedBy(operations.flatMap(pointersIn));
  return (current) => {
    const value = inTouchedOrder(applied(current, operations as (JsonPatchOperation | null)[]), touched);
    return { value, quoted: () => encodeJson(value), problems };
  };
}

const TEXT_MEMBERS = ['op', 'path', 'from'] as const;
const MEMBERS: ReadonlySet<string> = new Set([...TEXT_MEMBERS, 'value']);

function checkOperation(operation: unknown): void {
  if (operation === null) return;
  if (!isObject(operation)) throw mismatch(operation, 'Go value of type handlers.jsonPatchOp');
  for (const name of TEXT_MEMBERS) {
    const value = operation[name] ?? null;
    if (value !== null && typeof value !== 'string')
      throw mismatch(value, `Go struct field jsonPatchOp.${name} of type string`);
  }
}

function unknownMembers(operation: unknown, index: number): string[] {
  const names = Object.keys(isObject(operation) ? operation : {}).filter((name) => !MEMBERS.has(name));
  return names.map((name) => `unknown field "[${index}].${name}"`);
}

function pointersIn(operation: unknown): string[] {
  const { path, from } = (operation ?? {}) as JsonPatchOperation;
  return [path, from].filter((pointer) => typeof pointer === 'string');
}

function applied(current: unknown, operations: readonly (JsonPatchOperation | null)[]): unknown {
  try {
    return applyJsonPatch(current, operations);
  } catch (error) {
    if (error instanceof JsonPatchError) throw unprocessable(error);
    throw error;
  }
}

function mismatch(value: unknown, target: string): StatusError {
  return badRequest(`${DECODING}json: cannot unmarshal ${jsonTypeOf(value)} into ${target}`);
}

function tooMany(count: number): StatusError {
  return new StatusError({
    code: 413,
    reason: 'RequestEntityTooLarge',
    message: `Request entity too large: The allowed maximum operations in a JSON patch is ${MAX_OPERATIONS}, got ${count}`,
  });
}

/** What is wrong with a patch that can be read, but not applied, stays with the server. */
export function unprocessable(cause: Error): StatusError {
  const message = 'the server rejected our request due to an error in our request';
  return new StatusError({ code: 422, reason: 'Invalid', message, details: {} }, { cause });
}
