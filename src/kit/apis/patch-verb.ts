import {
  APPLY,
  badRequest,
  DecodeError,
  encodeSortedJson,
  hasReason,
  isPlainObject,
  patchMethodOf,
  type PlainObject,
  YamlBody,
} from '../../api/index.ts';
import { allAtOnce } from '../../base/index.ts';
import type { ApiAnswer } from './api-call.ts';
import { decodePatched, MAX_BODY_BYTES } from './decode-body.ts';
import { withApplied } from './ownership.ts';
import { existing, find } from './read-verbs.ts';
import { outgoing } from './served-kind.ts';
import { objectAnswer, type VerbContext } from './verb-context.ts';
import { createObject, ownedWrite, replaceObject } from './write-verbs.ts';
import { optionsOf } from './write-options.ts';

/** Maximum number of attempts when the object changes concurrently. */
const MAX_ATTEMPTS = 5;
const CAPABILITIES = { hasStrategicMerge: false, refusals: 'handler' } as const;

/** PATCH one object or its status: JSON patch, merge patch or server-side apply. */
export async function patch(context: VerbContext): Promise<ApiAnswer> {
  const { call, served, target } = context;
  const method = patchMethodOf(call.header('content-type') ?? '', CAPABILITIES);
  if (method === APPLY) return apply(context);
  const body = await call.body(MAX_BODY_BYTES);
  const options = optionsOf(context);
  const warn = (text: string): void => void context.warnings.push(text);
  const { fieldValidation } = options;
  const change = allAtOnce(method(body, { fieldValidation, warn, type: served.type, name: target.name }));
  return retrying(async () => {
    const old = await existing(context);
    const object = decodePatched(allAtOnce(change(old)), context, options);
    return objectAnswer(200, await replaceObject(object, old, context), context);
  });
}

async function apply(context: VerbContext): Promise<ApiAnswer> {
  const { served, target } = context;
  const options = optionsOf(context, true);
  const config = readConfig(await context.call.body(MAX_BODY_BYTES));
  const { force = false } = options;
  return retrying(async () => {
    const live = await find(context);
    const old = live === undefined ? undefined : outgoing(live, served);
    const applied = await withApplied(config, old, { ...ownedWrite(context), force });
    const made = { value: applied.object, quoted: () => encodeSortedJson(applied.object), problems: [] };
    const decoded = decodePatched(made, context, options);
    const { managedFields } = applied;
    const object = { ...decoded, metadata: { ...decoded.metadata, ...(managedFields && { managedFields }) } };
    if (old === undefined) {
      const named = { ...object, metadata: { ...object.metadata, name: target.name } };
      return objectAnswer(201, await createObject(named, context, { isApplied: true }), context);
    }
    return objectAnswer(200, await replaceObject(object, old, context, { isApplied: true }), context);
  });
}

async function retrying(attempt: () => Promise<ApiAnswer>): Promise<ApiAnswer> {
  for (let left = MAX_ATTEMPTS; ; left--) {
    try {
      return await attempt();
    } catch (error) {
      const isRace = hasReason(error, 'Conflict') && error.status.details?.causes === undefined;
      if (left <= 1 || !isRace) throw error;
    }
  }
}

function readConfig(body: Uint8Array): PlainObject {
  try {
    const config = allAtOnce(YamlBody.parsing(body)).untyped();
    if (isPlainObject(config)) return config;
  } catch (cause) {
    if (cause instanceof DecodeError) throw badRequest(`error decoding YAML: ${cause.message}`, { cause });
    throw cause;
  }
  throw badRequest('error decoding YAML: a configuration is an object');
}
