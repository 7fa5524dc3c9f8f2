import {
  type ApiObject,
  checkName,
  ensureNamespace,
  notFound,
  parseObjectResourceVersion,
  StatusError,
  ValueError,
  withoutDuplicateOwners,
  writeOptions,
} from '../../api/index.ts';
import { RequestAdmission } from '../admission/request-admission.ts';
import type { Answer } from '../answers/answer.ts';
import { type Endpoint, groupResource, keyOf, writeContext } from '../endpoint.ts';
import type { Call } from '../request/call.ts';
import { decodeObject } from '../request/decode-object.ts';
import type { Strategy } from '../resource.ts';
import { createObject } from './create.ts';
import { modifyObject, withManager } from './modify-object.ts';

/** PUT one object, or the part of it that a subresource owns. */
export async function update(
  call: Call,
  endpoint: Endpoint,
  strategy: Strategy = endpoint.resource.strategy,
): Promise<Answer> {
  const { resource, objects, services } = endpoint;
  const { namespace, name } = call.info;
  const options = writeOptions(call.request.query, 'UpdateOptions');
  const sent = await decodeObject(call, resource, { fieldValidation: options.fieldValidation, services });
  ensureNamespace(sent, endpoint.resource.namespaced, namespace);
  checkName(sent, name);
  const context = writeContext(call, endpoint, options);
  const admission = new RequestAdmission(call, endpoint, options);
  const key = keyOf(resource, namespace, name);
  if ((await objects.get(key)) === undefined && strategy === resource.strategy) {
    if (strategy.createOnUpdate !== true) throw notFound(groupResource(resource), name);
    const created = await createObject(withoutResourceVersion(sent), endpoint, { admission, context });
    return { type: 'object', code: 201, resource, object: created };
  }
  const own = withoutDuplicateOwners(sent, { seen: 'sent', warn: (message) => context.warn(message) });
  const uid = sent.metadata.uid ?? '';
  const object = await modifyObject(endpoint, {
    key,
    name,
    admission,
    context,
    strategy,
    change: (current) => withManager(own, current, { endpoint, context }),
    ...(uid === '' ? {} : { preconditions: { uid } }),
  });
  return { type: 'object', code: 200, resource, object };
}

/** For an update that creates its object: the version has to be one, but says nothing. */
export function withoutResourceVersion(object: ApiObject): ApiObject {
  const { resourceVersion = '', ...metadata } = object.metadata;
  const parsed = resourceVersion === '' ? undefined : parseObjectResourceVersion(resourceVersion);
  if (parsed instanceof ValueError) throw new StatusError({ code: 500, message: parsed.message });
  return { ...object, metadata };
}
