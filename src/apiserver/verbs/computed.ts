import {
  type ApiObject,
  collectErrors,
  ensureNamespace,
  invalid,
  listOptions,
  methodNotAllowed,
  notFound,
  type Status,
  writeOptions,
} from '../../api/index.ts';
import { RequestAdmission } from '../admission/request-admission.ts';
import type { Answer } from '../answers/answer.ts';
import { type Endpoint, groupKind, groupResource, writeContext } from '../endpoint.ts';
import type { Call } from '../request/call.ts';
import { decodeObject } from '../request/decode-object.ts';
import type { Computed } from '../resource.ts';
import { checkValues } from '../validation/validate-object.ts';
import { selection } from './selection.ts';

/** A verb of a kind that is computed for each request, such as an access review. */
export async function computedVerb(call: Call, endpoint: Endpoint, computed: Computed): Promise<Answer> {
  const { resource } = endpoint;
  const { verb, name, namespace } = call.info;
  if (verb === 'create' && computed.create !== undefined) {
    const object = await ask(call, endpoint, { ...computed, create: computed.create });
    if (object.kind === 'Status') return { type: 'status', status: object as unknown as Status };
    return { type: 'object', code: 201, resource, object };
  }
  if (verb === 'list' && computed.list !== undefined) {
    const selected = selection(resource, listOptions(call.request.query, false), name);
    const items = (await computed.list(namespace)).filter((object) => selected.includes(object));
    return { type: 'list', resource, items, metadata: {} };
  }
  if (verb !== 'get' || computed.get === undefined) throw methodNotAllowed();
  const object = await computed.get(name, namespace);
  if (object === undefined) throw notFound(groupResource(resource), name);
  return { type: 'object', code: 200, resource, object };
}

type Asked = Computed & Required<Pick<Computed, 'create'>>;

/** POST a review: the answer is the same object with its status filled in. */
async function ask(call: Call, endpoint: Endpoint, kind: Asked): Promise<ApiObject> {
  const { resource, services } = endpoint;
  const options = writeOptions(call.request.query, 'CreateOptions');
  const sent = withoutServerFields(
    await decodeObject(call, resource, { fieldValidation: options.fieldValidation, services }),
  );
  ensureNamespace(sent, endpoint.resource.namespaced, call.info.namespace);
  const context = writeContext(call, endpoint, options);
  const managedFields = await services.ownership.afterWrite(sent, undefined, { resource, context });
  const admission = new RequestAdmission(call, endpoint, options);
  const object = await admission.mutateCreate({ ...sent, metadata: { ...sent.metadata, managedFields } });
  const errors = collectErrors(() => {
    const found = checkValues(object, resource.type);
    const own = resource.strategy.validate?.(object, context) ?? [];
    return resource.strategy.combineErrors?.(found, own) ?? [...found, ...own];
  });
  if (errors.length > 0) throw invalid(groupKind(resource), object.metadata.name ?? '', errors);
  kind.check?.(object);
  await admission.validateCreate(object);
  return kind.create(object, context);
}

/** Only the server sets these, also where it stores nothing. */
function withoutServerFields(object: ApiObject): ApiObject {
  const {
    uid: _1,
    selfLink: _2,
    creationTimestamp: _3,
    deletionTimestamp: _4,
    deletionGracePeriodSeconds: _5,
    ...metadata
  } = object.metadata;
  return { ...object, metadata };
}
