import {
  applyMergePatch,
  applyStrategicMergePatch,
  badRequest,
  conversionError,
  encodeJson,
  goText,
  inTouchedOrder,
  StatusError,
  StrategicMergeError,
} from '../../api/index.ts';
import type { StrategicallyMerged, Struct, Touched } from '../../api/index.ts';
import type { Capabilities } from '../capabilities.ts';
import type { Call } from '../request/call.ts';
import type { Resource } from '../resource.ts';
import { prepareJsonPatch, unprocessable } from './json-patch-method.ts';
import { isObject, jsonTypeOf, readPatch } from './patch-body.ts';
import type { PatchContext, Patched, PatchMethod } from './patch-method.ts';

/** Server-side apply is a way to patch, and a verb of its own. */
export const APPLY = 'application/apply-patch+yaml';

const STRATEGIC = 'application/strategic-merge-patch+json';

/** By content type, in the order in which they are offered. */
const methods: ReadonlyMap<string, PatchMethod> = new Map<string, PatchMethod>([
  ['application/json-patch+json', prepareJsonPatch],
  ['application/merge-patch+json', prepareMergePatch],
  [STRATEGIC, prepareStrategicPatch],
]);

/** How a call wants to patch. */
export function patchMethodOf(call: Call, resource: Resource): PatchMethod | typeof APPLY {
  const contentType = (call.header('content-type') ?? '').split(';', 1)[0]?.trim() ?? '';
  if (contentType === APPLY) return APPLY;
  const method = methods.get(contentType);
  const { capabilities } = resource;
  if (method !== undefined && (method !== prepareStrategicPatch || capabilities.hasStrategicMerge)) return method;
  throw unsupported(capabilities);
}

function unsupported({ hasStrategicMerge, refusals }: Capabilities): StatusError {
  const code = 415;
  const reason = 'UnsupportedMediaType';
  if (refusals === 'route')
    return new StatusError({ code, reason, message: '415: Unsupported Media Type', details: {} });
  const offered = [...methods.keys(), APPLY].filter((type) => type !== STRATEGIC || hasStrategicMerge);
  const message = `the body of the request was in an unknown format - accepted media types include: ${offered.join(', ')}`;
  return new StatusError({ code, reason, message });
}

const DECODING = 'error decoding patch: ';

function prepareMergePatch(body: Uint8Array, context: PatchContext): (current: unknown) => Patched {
  const { value: patch, duplicates } = readPatch(body, context, DECODING);
  if (patch === null) throw badRequest('Invalid JSON Patch');
  if (!isObject(patch)) {
    throw badRequest(
      `${DECODING}json: cannot unmarshal ${jsonTypeOf(patch)} into Go value of type map[string]interface {}`,
    );
  }
  return (current) => {
    const value = inTouchedOrder(applyMergePatch(current, patch), patch as Touched);
    return { value, quoted: () => encodeJson(value), problems: duplicates };
  };
}

type Members = Record<string, unknown>;

function prepareStrategicPatch(body: Uint8Array, context: PatchContext): (current: unknown) => Patched {
  const { value: patch, duplicates } = readPatch(body, context, '');
  if (!isObject(patch)) {
    throw badRequest(`json: cannot unmarshal ${jsonTypeOf(patch)} into Go value of type map[string]interface {}`);
  }
  const { type } = context;
  return (current) => {
    const { patched, patch: left } = merged(current as Members, patch, type);
    return {
      value: patched,
      quoted: () => goText(left),
      explain: () => conversionError(patched, type),
      problems: duplicates,
    };
  };
}

function merged(current: Members, patch: Members, type: Struct): StrategicallyMerged {
  try {
    return applyStrategicMergePatch(current, patch, type);
  } catch (error) {
    if (!(error instanceof StrategicMergeError)) throw error;
    const { code, message } = error;
    if (code === 422) throw unprocessable(error);
    throw code === 400 ? badRequest(message, { cause: error }) : new StatusError({ code, message }, { cause: error });
  }
}
