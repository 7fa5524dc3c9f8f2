import { StatusError } from '../../api/index.ts';
import type { Call } from '../request/call.ts';
import type { Resource } from '../resource.ts';
import { prepareJsonPatch } from './json-patch-method.ts';
import { prepareMergePatch } from './merge-patch-method.ts';
import type { PatchMethod } from './patch-method.ts';
import { prepareStrategicPatch } from './strategic-patch-method.ts';

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
  const isCustom = resource.storage.itemsCarryKind;
  if (method !== undefined && !(isCustom && method === prepareStrategicPatch)) return method;
  throw unsupported(isCustom);
}

/** Built-in kinds are refused by the router, custom resources, of which nobody knows merge strategies, by their own handler. */
function unsupported(isCustom: boolean): StatusError {
  const offered = [...methods.keys(), APPLY].filter((type) => type !== STRATEGIC);
  const message = isCustom
    ? `the body of the request was in an unknown format - accepted media types include: ${offered.join(', ')}`
    : '415: Unsupported Media Type';
  return new StatusError({
    code: 415,
    reason: 'UnsupportedMediaType',
    message,
    ...(isCustom ? {} : { details: {} }),
  });
}
