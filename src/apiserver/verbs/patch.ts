import type { ApiObject } from '../../api/index.ts';
import { RequestAdmission } from '../admission/request-admission.ts';
import type { Answer } from '../answers/answer.ts';
import { keyOf, writeContext } from '../endpoint.ts';
import type { Endpoint } from '../endpoint.ts';
import type { Call } from '../request/call.ts';
import { writeOptions } from '../request/options.ts';
import type { Strategy } from '../resource.ts';
import { apply } from './apply.ts';
import { modifyObject } from './modify-object.ts';
import { ensureNamespace } from './object-meta.ts';
import { owned } from './owned-object.ts';
import { APPLY, patchMethodOf } from './patch-methods.ts';
import { decodePatched } from './patched-object.ts';
import { checkName } from './update.ts';

/** PATCH one object, or the part of it that a subresource owns. */
export async function patch(
  call: Call,
  endpoint: Endpoint,
  strategy: Strategy = endpoint.resource.strategy,
): Promise<Answer> {
  const { resource, services } = endpoint;
  const { namespace, name } = call.info;
  const method = patchMethodOf(call, resource);
  if (method === APPLY) return apply(call, endpoint, strategy);
  const body = await call.body(services.maxBodyBytes);
  const options = writeOptions(call.query, 'PatchOptions');
  const context = writeContext(call, endpoint, options);
  const patchContext = { fieldValidation: options.fieldValidation, warn: context.warn, type: resource.type, name };
  const applyPatch = method(body, patchContext);
  const object = await modifyObject(endpoint, {
    key: keyOf(resource, namespace, name),
    name,
    admission: new RequestAdmission(call, endpoint, options),
    context,
    strategy,
    change: async (current: ApiObject) => {
      const sent = decodePatched(applyPatch(current), endpoint, patchContext);
      const patched = await owned(sent, current, { endpoint, context });
      ensureNamespace(patched, endpoint, namespace);
      checkName(patched, name);
      return patched;
    },
  });
  return { type: 'object', code: 200, resource, object };
}
