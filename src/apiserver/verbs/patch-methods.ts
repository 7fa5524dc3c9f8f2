import { StatusError } from '../../api/index.ts';
import type { Capabilities } from '../capabilities.ts';
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
