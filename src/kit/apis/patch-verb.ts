import {
  type ApiObject,
  applyJsonPatch,
  applyMergePatch,
  badRequest,
  DecodeError,
  hasReason,
  isPlainObject,
  JsonPatchError,
  type JsonPatchOperation,
  parseUntyped,
  type PlainObject,
  StatusError,
  YamlBody,
} from '../../api/index.ts';
import { allAtOnce } from '../../base/index.ts';
import type { ApiAnswer } from './api-call.ts';
import { decodePatched, MAX_BODY_BYTES, unsupported } from './decode-body.ts';
import { withApplied } from './ownership.ts';
import { existing, find } from './read-verbs.ts';
import { outgoing } from './served-kind.ts';
import { objectAnswer, type VerbContext } from './verb-context.ts';
import { createObject, ownedWrite, replaceObject } from './write-verbs.ts';
import { isForced } from './write-options.ts';

const JSON_PATCH = 'application/json-patch+json';
const MERGE_PATCH = 'application/merge-patch+json';
const APPLY = 'application/apply-patch+yaml';
const MAX_OPERATIONS = 10_000;
/** A patch whose object changes underneath is tried again so often. */
const ATTEMPTS = 5;

/** PATCH one object, or its status: by JSON patch, merge patch, or a configuration to be applied. */
export async function patch(context: VerbContext): Promise<ApiAnswer> {
  const contentType = (context.call.header('content-type') ?? '').split(';', 1)[0]?.trim() ?? '';
  if (contentType === APPLY) return apply(context);
  if (contentType !== JSON_PATCH && contentType !== MERGE_PATCH) throw unsupported([JSON_PATCH, MERGE_PATCH, APPLY]);
  const sent = readPatch(await context.call.body(MAX_BODY_BYTES));
  const change = contentType === JSON_PATCH ? jsonPatch(sent) : mergePatch(sent);
  return retrying(async () => {
    const old = await existing(context);
    const object = decodePatched(change(old), context);
    return objectAnswer(200, await replaceObject(object, old, context), context);
  });
}

async function apply(context: VerbContext): Promise<ApiAnswer> {
  const { served, target } = context;
  if ((target.query.get('fieldManager') ?? '') === '')
    throw badRequest(
      'PatchOptions.meta.k8s.io "" is invalid: fieldManager: Required value: is required for apply patch',
    );
  const config = readConfig(await context.call.body(MAX_BODY_BYTES));
  const force = isForced(target.query);
  return retrying(async () => {
    const live = await find(context);
    const old = live === undefined ? undefined : outgoing(live, served);
    const applied = await withApplied(config, old, { ...ownedWrite(context), force });
    const decoded = decodePatched(applied.object, context);
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
  for (let left = ATTEMPTS; ; left--) {
    try {
      return await attempt();
    } catch (error) {
      const isRace = hasReason(error, 'Conflict') && error.status.details?.causes === undefined;
      if (left <= 1 || !isRace) throw error;
    }
  }
}

function jsonPatch(sent: unknown): (old: ApiObject) => unknown {
  if (!Array.isArray(sent)) throw badRequest('error decoding patch: a JSON patch is a list of operations');
  if (sent.length > MAX_OPERATIONS) {
    const message = `Request entity too large: The allowed maximum operations in a JSON patch is ${MAX_OPERATIONS}, got ${sent.length}`;
    throw new StatusError({ code: 413, reason: 'RequestEntityTooLarge', message });
  }
  return (old) => {
    try {
      return applyJsonPatch(old, sent as (JsonPatchOperation | null)[]);
    } catch (cause) {
      if (!(cause instanceof JsonPatchError)) throw cause;
      const message = 'the server rejected our request due to an error in our request';
      throw new StatusError({ code: 422, reason: 'Invalid', message, details: {} }, { cause });
    }
  };
}

function mergePatch(sent: unknown): (old: ApiObject) => unknown {
  if (!isPlainObject(sent)) throw badRequest('error decoding patch: a merge patch is an object');
  return (old) => applyMergePatch(old, sent);
}

function readPatch(body: Uint8Array): unknown {
  try {
    return parseUntyped(body);
  } catch (cause) {
    if (cause instanceof DecodeError) throw badRequest(`error decoding patch: ${cause.message}`, { cause });
    throw cause;
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
