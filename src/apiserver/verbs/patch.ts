import {
  type ApiObject,
  APPLY,
  checkName,
  conflict,
  ensureNamespace,
  hasReason,
  notFound,
  patchMethodOf,
  sentBytes,
  writeOptions,
} from '../../api/index.ts';
import { allAtOnce, withPauses } from '../../base/index.ts';
import { RequestAdmission } from '../admission/request-admission.ts';
import type { Answer } from '../answers/answer.ts';
import { type Endpoint, groupResource, keyOf, pausing, writeContext } from '../endpoint.ts';
import type { Call } from '../request/call.ts';
import { jsonToDecode } from '../request/large-body.ts';
import type { Resource, Strategy, WriteContext } from '../resource.ts';
import type { StoredObject } from '../storage/stored-object.ts';
import { AppliedConfig } from './applied-config.ts';
import { createObject } from './create.ts';
import { modifyObject, withManager } from './modify-object.ts';
import { decodePatched } from './patched-object.ts';
import { withoutResourceVersion } from './update.ts';

/** PATCH one object, or the part of it that a subresource owns. */
export async function patch(
  call: Call,
  endpoint: Endpoint,
  strategy: Strategy = endpoint.resource.strategy,
): Promise<Answer> {
  const { resource, services } = endpoint;
  const { namespace, name } = call.info;
  const method = patchMethodOf(call.request.header('content-type') ?? '', resource.capabilities);
  if (method === APPLY) return apply(call, endpoint, strategy);
  const sent = jsonToDecode(call.request, services);
  const body = sent instanceof Promise ? await sent : sent;
  const options = writeOptions(call.request.query, 'PatchOptions');
  call.record.audit?.sentPatch(sentBytes(body));
  const context = writeContext(call, endpoint, options);
  const { fieldValidation } = options;
  const warn = (message: string): void => context.warn(message);
  const { type } = resource;
  const preparing = method(body, { fieldValidation, warn, type, name });
  const applyPatch = context.pause === undefined ? allAtOnce(preparing) : await withPauses(preparing, context.pause);
  const object = await modifyObject(endpoint, {
    key: keyOf(resource, namespace, name),
    name,
    admission: new RequestAdmission(call, endpoint, options),
    context,
    strategy,
    change: async (current: ApiObject, pause) => {
      const merging = applyPatch(current);
      const merged = pause === undefined ? allAtOnce(merging) : await withPauses(merging, pause);
      if (pause !== undefined) await pause();
      const stored = { object: current, strategy };
      const decoded = decodePatched(merged, endpoint, { fieldValidation, warn, type, name, stored });
      const patched = await withManager(decoded, current, { endpoint, context: pausing(context, pause) });
      ensureNamespace(patched, endpoint.resource.namespaced, namespace);
      checkName(patched, name);
      return patched;
    },
  });
  return { type: 'object', code: 200, resource, object };
}

/** How often an apply is retried when its object was changed, created or deleted meanwhile. */
const MAX_RETRIES = 5;

/** PATCH with a configuration: merged into the object, which is created if missing. */
async function apply(call: Call, endpoint: Endpoint, strategy: Strategy): Promise<Answer> {
  const { resource, objects, services } = endpoint;
  const { namespace, name } = call.info;
  const body = await jsonToDecode(call.request, services);
  const options = writeOptions(call.request.query, 'PatchOptions', true);
  call.record.audit?.sentPatch(sentBytes(body));
  const context = writeContext(call, endpoint, options);
  const { fieldValidation, force = false } = options;
  const config = await withPauses(AppliedConfig.reading(body, { fieldValidation, force }), context.pause);
  const change = async (current: ApiObject | undefined, pause: WriteContext['pause']): Promise<ApiObject> => {
    const applied = await config.applyTo(current, endpoint, pausing(context, pause));
    if (current === undefined) ensureNoUid(applied, resource, name);
    return placed(applied, call, endpoint);
  };
  const admission = new RequestAdmission(call, endpoint, options);
  const key = keyOf(resource, namespace, name);
  for (let attempt = 0; ; attempt++) {
    try {
      if ((await objects.get(key)) !== undefined) {
        const modification = { key, name, admission, context, strategy, keepsManagedFields: true, change };
        return { type: 'object', code: 200, resource, object: await modifyObject(endpoint, modification) };
      }
      if (strategy !== resource.strategy) throw notFound(groupResource(resource), name);
      return {
        type: 'object',
        code: 201,
        resource,
        object: await create(await change(undefined, context.pause), endpoint, { admission, context }),
      };
    } catch (error) {
      const isRace =
        hasReason(error, 'AlreadyExists') || (hasReason(error, 'NotFound') && strategy === resource.strategy);
      if (!isRace || attempt >= MAX_RETRIES) throw error;
    }
  }
}

/** Sets the name and namespace from the path. */
function placed(object: ApiObject, call: Call, endpoint: Endpoint): ApiObject {
  ensureNamespace(object, endpoint.resource.namespaced, call.info.namespace);
  checkName(object, call.info.name);
  return object;
}

/** A configuration with a uid is about an object that exists. */
function ensureNoUid({ metadata: { uid = '' } }: ApiObject, resource: Resource, name: string): void {
  if (uid === '') return;
  const why = `uid mismatch: the provided object specified uid ${uid}, and no existing object was found`;
  throw conflict(groupResource(resource), name, why);
}

function create(
  object: ApiObject,
  endpoint: Endpoint,
  { admission, context }: { readonly admission: RequestAdmission; readonly context: WriteContext },
): Promise<StoredObject | ApiObject> {
  return createObject(withoutResourceVersion(object), endpoint, { admission, context, hasManagedFields: true });
}
