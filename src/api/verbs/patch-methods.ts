import { encodeJson, encodeSortedJson } from '../json/index.ts';
import {
  applyJsonPatch,
  conversionError,
  goText,
  inTouchedOrder,
  JsonPatchError,
  type JsonPatchOperation,
  mergePatching,
  type StrategicallyMerged,
  StrategicMergeError,
  strategicMerging,
  type Touched,
  touchedBy,
} from '../patch/index.ts';
import type { Struct } from '../schema/schema.ts';
import { badRequest, StatusError } from '../status.ts';
import type { Steps } from '../../base/index.ts';
import { mediaTypeOf, type SentJson, unsupportedMediaType } from './sent-body.ts';
import { isObject, jsonTypeOf, type PatchContext, type Patched, type PatchMethod, readPatch } from './patch-body.ts';

const MAX_OPERATIONS = 10_000;
const DECODING = 'error decoding patch: ';

function* prepareJsonPatch(body: SentJson, context: PatchContext): ReturnType<PatchMethod> {
  const { value: operations, duplicates } = yield* readPatch(body, context, DECODING);
  if (!Array.isArray(operations)) throw mismatch(operations, 'Go value of type []handlers.jsonPatchOp');
  for (const operation of operations) checkOperation(operation);
  if (operations.length > MAX_OPERATIONS) throw tooMany(operations.length);
  const problems = [...operations.flatMap(unknownMembers), ...duplicates].map((text) => `json patch ${text}`);
  const touched = touchedBy(operations.flatMap(pointersIn));
  const apply = { operations: operations as (JsonPatchOperation | null)[], touched, problems };
  return (current) => jsonPatched(current, apply, context);
}

interface JsonApplication {
  readonly operations: readonly (JsonPatchOperation | null)[];
  readonly touched: Touched;
  readonly problems: readonly string[];
}

// Not generators inside functions: V8 makes three hidden classes for each of those, at every patch.
function* jsonPatched(
  current: unknown,
  { operations, touched, problems }: JsonApplication,
  context: PatchContext,
): Steps<Patched> {
  const result = applied(current, operations);
  yield;
  const value = inTouchedOrder(result, touched);
  return { value, quoted: () => quoted(value, context), problems };
}

/** Custom resources are maps in Go, whose members are sorted. */
function quoted(value: unknown, { type }: PatchContext): string {
  return type.isStructural === true ? encodeSortedJson(value) : encodeJson(value);
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

/** A patch that is well-formed but cannot be applied. */
function unprocessable(cause: Error): StatusError {
  const message = 'the server rejected our request due to an error in our request';
  return new StatusError({ code: 422, reason: 'Invalid', message, details: {} }, { cause });
}

/** Server-side apply is a patch type, and a separate verb. */
export const APPLY = 'application/apply-patch+yaml';

const STRATEGIC = 'application/strategic-merge-patch+json';

/** By content type, in the order in which they are offered. */
const methods: ReadonlyMap<string, PatchMethod> = new Map<string, PatchMethod>([
  ['application/json-patch+json', prepareJsonPatch],
  ['application/merge-patch+json', prepareMergePatch],
  [STRATEGIC, prepareStrategicPatch],
]);

/** Which patch types a kind accepts, and how it refuses others. */
export interface PatchCapabilities {
  readonly hasStrategicMerge: boolean;
  /** 'route': refused before the kind is reached, with less detail. */
  readonly refusals: 'route' | 'handler';
}

/** The patch method of a Content-Type; throws a Status of 415 if the kind does not accept it. */
export function patchMethodOf(contentType: string, capabilities: PatchCapabilities): PatchMethod | typeof APPLY {
  const mediaType = mediaTypeOf(contentType);
  if (mediaType === APPLY) return APPLY;
  const method = methods.get(mediaType);
  if (method !== undefined && (method !== prepareStrategicPatch || capabilities.hasStrategicMerge)) return method;
  throw unsupported(capabilities);
}

function unsupported({ hasStrategicMerge, refusals }: PatchCapabilities): StatusError {
  if (refusals === 'route') {
    const message = '415: Unsupported Media Type';
    return new StatusError({ code: 415, reason: 'UnsupportedMediaType', message, details: {} });
  }
  return unsupportedMediaType([...methods.keys(), APPLY].filter((type) => type !== STRATEGIC || hasStrategicMerge));
}

function* prepareMergePatch(body: SentJson, context: PatchContext): ReturnType<PatchMethod> {
  const { value: patch, duplicates } = yield* readPatch(body, context, DECODING);
  if (patch === null) throw badRequest('Invalid JSON Patch');
  if (!isObject(patch)) {
    throw badRequest(
      `${DECODING}json: cannot unmarshal ${jsonTypeOf(patch)} into Go value of type map[string]interface {}`,
    );
  }
  return (current) => mergePatched(current, { patch, problems: duplicates }, context);
}

interface SentPatch {
  readonly patch: Members;
  readonly problems: readonly string[];
}

function* mergePatched(current: unknown, { patch, problems }: SentPatch, context: PatchContext): Steps<Patched> {
  const result = yield* mergePatching(current, patch);
  yield;
  const value = inTouchedOrder(result, patch as Touched);
  return { value, quoted: () => quoted(value, context), problems };
}

type Members = Record<string, unknown>;

function* prepareStrategicPatch(body: SentJson, context: PatchContext): ReturnType<PatchMethod> {
  const { value: patch, duplicates } = yield* readPatch(body, context, '');
  if (!isObject(patch)) {
    throw badRequest(`json: cannot unmarshal ${jsonTypeOf(patch)} into Go value of type map[string]interface {}`);
  }
  const { type } = context;
  return (current) => strategicallyPatched(current as Members, { patch, problems: duplicates }, type);
}

function* strategicallyPatched(current: Members, { patch, problems }: SentPatch, type: Struct): Steps<Patched> {
  const { patched, patch: left } = yield* merged(current, patch, type);
  return { value: patched, quoted: () => goText(left), explain: () => conversionError(patched, type), problems };
}

function* merged(current: Members, patch: Members, type: Struct): Steps<StrategicallyMerged> {
  try {
    return yield* strategicMerging(current, patch, type);
  } catch (error) {
    if (!(error instanceof StrategicMergeError)) throw error;
    const { code, message } = error;
    if (code === 422) throw unprocessable(error);
    throw code === 400 ? badRequest(message, { cause: error }) : new StatusError({ code, message }, { cause: error });
  }
}
