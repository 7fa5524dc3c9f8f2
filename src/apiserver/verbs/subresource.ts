import { methodNotAllowed, notFound, pageNotFound } from '../../api/index.ts';
import type { ApiObject } from '../../api/index.ts';
import { RequestAdmission } from '../admission/request-admission.ts';
import type { Answer } from '../answers/answer.ts';
import { groupResource, keyOf, writeContext } from '../endpoint.ts';
import type { Endpoint } from '../endpoint.ts';
import type { Call } from '../request/call.ts';
import { decodeObject } from '../request/decode-object.ts';
import { writeOptions } from '../request/options.ts';
import type { Action, ActionObjects, Resource, Subresource, WriteContext } from '../resource.ts';
import { convertForReading } from '../storage/conversion.ts';
import { StoredObject } from '../storage/stored-object.ts';
import { deleteObject } from './delete.ts';
import { get } from './get.ts';
import { modifyObject } from './modify-object.ts';
import { ensureNamespace } from './object-meta.ts';
import { patch } from './patch.ts';
import { getProjection, patchProjection, updateProjection } from './projection.ts';
import { update } from './update.ts';

/** A request to something below an object. `negotiate` throws when the client takes none of our formats. */
export async function subresource(call: Call, endpoint: Endpoint, negotiate: () => void): Promise<Answer> {
  const target = endpoint.resource.subresources.get(call.info.subresource);
  if (target === undefined) throw pageNotFound();
  const { verb } = call.info;
  if (!target.verbs.includes(verb)) throw methodNotAllowed();
  if (target.type !== 'connection') negotiate();
  switch (target.type) {
    case 'view':
      return viewVerb(call, endpoint, target);
    case 'projection':
      if (verb === 'get') return getProjection(call, endpoint, target);
      return verb === 'update' ? updateProjection(call, endpoint, target) : patchProjection(call, endpoint, target);
    case 'action':
      return act(call, endpoint, target);
    case 'connection':
      if (target.isRead !== true) {
        const admission = new RequestAdmission(call, endpoint, { dryRun: false, kind: target.struct.kind });
        await admission.admitConnect(target.struct);
      }
      return target.open(call, objectsFor(call, endpoint, writeContext(call, endpoint, { dryRun: false })));
  }
}

function viewVerb(call: Call, endpoint: Endpoint, view: Extract<Subresource, { type: 'view' }>): Promise<Answer> {
  switch (call.info.verb) {
    case 'get':
      return get(call, endpoint);
    case 'update':
      return update(call, endpoint, view.strategy);
    default:
      return patch(call, endpoint, view.strategy);
  }
}

/** POST to an action such as `binding` or `eviction`. */
async function act(call: Call, endpoint: Endpoint, action: Action): Promise<Answer> {
  const { services } = endpoint;
  const options = writeOptions(call.query, 'CreateOptions');
  const target: Resource = { ...endpoint.resource, ...action.kind, type: action.struct, strategy: {} };
  const sent = await decodeObject(call, target, { fieldValidation: options.fieldValidation, services });
  const { namespace, name } = call.info;
  ensureNamespace(sent, endpoint, namespace);
  const context = writeContext(call, endpoint, options);
  const admission = new RequestAdmission(call, endpoint, { dryRun: options.dryRun, kind: action.kind });
  const body = await admission.mutateCreate(sent);
  const objects = objectsFor(call, endpoint, context);
  const admit = async (posted: ApiObject): Promise<void> => admission.validateCreate(posted);
  const object = await action.run({ namespace, name, body, context, objects, admit });
  if (object.kind === 'Status') return { type: 'status', status: object as never };
  return { type: 'object', code: 201, resource: target, object };
}

function objectsFor(call: Call, endpoint: Endpoint, context: WriteContext): ActionObjects {
  const { resource, objects } = endpoint;
  const { namespace, name } = call.info;
  const key = keyOf(resource, namespace, name);
  return {
    async get(): Promise<ApiObject> {
      const stored = await objects.get(key);
      if (stored === undefined) throw notFound(groupResource(resource), name);
      await convertForReading([stored], resource, context.signal);
      return stored.as(resource);
    },
    async update(change): Promise<ApiObject> {
      const result = await modifyObject(endpoint, {
        key,
        name,
        context,
        strategy: {},
        change: (current) => change(current) ?? current,
      });
      return result instanceof StoredObject ? result.as(resource) : result;
    },
    async delete({ gracePeriodSeconds, preconditions, orphanDependents, propagationPolicy, dryRun }): Promise<void> {
      const isDryRun = context.dryRun || dryRun === true;
      const options = { gracePeriodSeconds, preconditions, orphanDependents, propagationPolicy, dryRun: isDryRun };
      await deleteObject(endpoint, { namespace, name, options, context: { ...context, dryRun: isDryRun } });
    },
  };
}
