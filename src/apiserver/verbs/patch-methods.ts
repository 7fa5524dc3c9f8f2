import { StatusError } from '../../api/index.ts';
import type { Struct } from '../../api/index.ts';
import type { Capabilities } from '../capabilities.ts';
import type { Call } from '../request/call.ts';
import type { FieldValidation } from '../request/options.ts';
import type { Resource } from '../resource.ts';
import { prepareJsonPatch } from './json-patch-method.ts';
import { prepareMergePatch } from './merge-patch-method.ts';
import { prepareStrategicPatch } from './strategic-patch-method.ts';

/** Reads a patch once; what it returns applies it as often as needed. */
export type PatchMethod = (body: Uint8Array, context: PatchContext) => (current: unknown) => Patched;

export interface PatchContext {
  readonly fieldValidation: FieldValidation;
  readonly type: Struct;
  /** What the path calls the object. */
  readonly name: string;
  warn(message: string): void;
}

/** What a patch made of an object, not decoded yet. */
export interface Patched {
  readonly value: unknown;
  /** How messages quote what cannot be decoded. */
  readonly quoted: () => string;
  /** What is said about a value that cannot be decoded; absent: what the decoder says. */
  readonly explain?: () => string | undefined;
  /** Strange things about the patch itself, such as `duplicate field "spec"`. */
  readonly problems: readonly string[];
}

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
