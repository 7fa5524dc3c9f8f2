import {
  type ApiObject,
  APPLY,
  canonicalObject,
  checkName,
  collectErrors,
  conflict,
  ensureNamespace,
  invalid,
  methodNotAllowed,
  notFound,
  OBJECT_MODIFIED,
  pageNotFound,
  patchMethodOf,
  type ScaledKind,
  sentBytes,
  withMeta,
  writeOptions,
  type WriteOptions,
} from '../../api/index.ts';
import { allAtOnce } from '../../base/index.ts';
import { RequestAdmission } from '../admission/request-admission.ts';
import type { Answer } from '../answers/answer.ts';
import { builtInCapabilities } from '../capabilities.ts';
import { contextWith, type Endpoint, groupResource, keyOf, writeContext } from '../endpoint.ts';
import { objectWithManagers, projectedWithManagers, scaledKind } from '../ownership/scale-ownership.ts';
import type { Call } from '../request/call.ts';
import { decodeObject } from '../request/decode-object.ts';
import { jsonToDecode } from '../request/large-body.ts';
import type { Action, ActionObjects, Projection, Subresource, WriteContext } from '../resource.ts';
import { convertForReading } from '../storage/conversion.ts';
import { StoredObject } from '../storage/stored-object.ts';
import { AppliedConfig } from './applied-config.ts';
import { deleteObject } from './delete.ts';
import { get } from './get.ts';
import { modifyObject, withManager } from './modify-object.ts';
import { patch } from './patch.ts';
import { decodePatched } from './patched-object.ts';
import { update } from './update.ts';

/** A request to a subresource. `negotiate` throws when the client accepts none of our formats. */
export async function subresource(call: Call, endpoint: Endpoint, negotiate: () => void): Promise<Answer> {
  const { resource } = endpoint;
  const target = resource.subresources.get(call.info.subresource);
  if (target === undefined) {
    const isCustom = resource.capabilities !== builtInCapabilities && resource.computed === undefined;
    throw isCustom ? notFound(groupResource(resource), call.info.name) : pageNotFound(); // upstream's errors differ
  }
  const { verb } = call.info;
  if (!isServed(target, call)) throw methodNotAllowed();
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

/** A connection lists its HTTP methods, HEAD and OPTIONS among them; the others have verbs. */
function isServed(target: Subresource, { info: { verb }, request: { method } }: Call): boolean {
  if (target.type !== 'connection' || target.style.kind !== 'connect')
    return method !== 'HEAD' && target.verbs.includes(verb);
  const { methods } = target.style;
  return methods.some((each) => each.toUpperCase() === method);
}

function viewVerb(
  call: Call,
  endpoint: Endpoint,
  view: Extract<Subresource, { type: 'view' }>,
): Answer | Promise<Answer> {
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
  const options = writeOptions(call.request.query, 'CreateOptions');
  const target = endpoint.targets.ofAction(action);
  const sent = await decodeObject(call, target, { fieldValidation: options.fieldValidation, services });
  const { namespace, name } = call.info;
  ensureNamespace(sent, endpoint.resource.namespaced, namespace);
  const context = writeContext(call, endpoint, options);
  const admission = new RequestAdmission(call, endpoint, { dryRun: options.dryRun, kind: action.kind });
  const managedFields = await services.ownership.afterWrite(sent, undefined, { resource: target, context });
  const body = await admission.mutateCreate({ ...sent, metadata: withMeta(sent.metadata, { managedFields }) });
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
      await convertForReading([stored], resource, context);
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
      await deleteObject(endpoint, {
        namespace,
        name,
        options,
        context: contextWith(context, { dryRun: isDryRun, pause: context.pause }),
      });
    },
  };
}

/** GET …/scale and similar: the object as another kind. */
async function getProjection(call: Call, endpoint: Endpoint, projection: Projection): Promise<Answer> {
  const { resource, objects } = endpoint;
  const stored = await objects.get(keyOf(resource, call.info.namespace, call.info.name));
  if (stored === undefined) throw notFound(groupResource(resource), call.info.name);
  await convertForReading([stored], resource, call.request);
  const object = stored.as(resource);
  const projected = projection.read?.(object) ?? projection.project(object);
  return { type: 'object', code: 200, resource: endpoint.targets.ofProjection(projection), object: projected };
}

/** PUT a projection, such as a Scale: its changes are applied to the object. */
async function updateProjection(call: Call, endpoint: Endpoint, projection: Projection): Promise<Answer> {
  const options = writeOptions(call.request.query, 'UpdateOptions');
  const target = projectedEndpoint(endpoint, projection);
  const { services } = endpoint;
  const sent = await decodeObject(call, target.resource, { fieldValidation: options.fieldValidation, services });
  ensureNamespace(sent, target.resource.namespaced, call.info.namespace);
  checkName(sent, call.info.name);
  const change: ProjectedChange = (projected, context) => withManager(sent, projected, { endpoint: target, context });
  return writeProjection(call, endpoint, { projection, options, change });
}

/** PATCH a projection as if it were stored. */
async function patchProjection(call: Call, endpoint: Endpoint, projection: Projection): Promise<Answer> {
  const target = projectedEndpoint(endpoint, projection);
  const method = patchMethodOf(call.request.header('content-type') ?? '', endpoint.resource.capabilities);
  const body = await jsonToDecode(call.request, endpoint.services);
  const options = writeOptions(call.request.query, 'PatchOptions', method === APPLY);
  call.record.audit?.sentPatch(sentBytes(body));
  const { fieldValidation, force } = options;
  if (method === APPLY) {
    const config = allAtOnce(AppliedConfig.reading(body, { fieldValidation, force: force === true }));
    const change: ProjectedChange = (projected, context) => config.applyTo(projected, target, context);
    return writeProjection(call, endpoint, { projection, options, change });
  }
  const patchContext = {
    fieldValidation,
    warn: (text: string) => call.record.warnings.add(text),
    type: projection.struct,
    name: call.info.name,
  };
  const apply = allAtOnce(method(body, patchContext));
  const change: ProjectedChange = (projected, context) => {
    const patched = allAtOnce(apply(projected)); // projections, such as a Scale, are small
    return withManager(decodePatched(patched, target, patchContext), projected, { endpoint: target, context });
  };
  return writeProjection(call, endpoint, { projection, options, change });
}

/** Computes the changed projection. */
type ProjectedChange = (projected: ApiObject, context: WriteContext) => Promise<ApiObject>;

interface ProjectionWrite {
  readonly projection: Projection;
  readonly options: WriteOptions;
  readonly change: ProjectedChange;
}

async function writeProjection(call: Call, endpoint: Endpoint, write: ProjectionWrite): Promise<Answer> {
  const { resource } = endpoint;
  const { projection, options } = write;
  const { namespace, name } = call.info;
  const context = writeContext(call, endpoint, options);
  const scaled = scaledKind(resource, projection);
  const admission = new RequestAdmission(call, endpoint, { dryRun: options.dryRun, kind: projection.kind });
  const result = await modifyObject(endpoint, {
    key: keyOf(resource, namespace, name),
    name,
    admission,
    seenAs: (object) => projection.project(object),
    context,
    strategy: resource.strategy,
    change: (current) => changed(current, { admission, name, endpoint, write, context, scaled }),
  });
  const object = result instanceof StoredObject ? result.as(resource) : result;
  return {
    type: 'object',
    code: 200,
    resource: endpoint.targets.ofProjection(projection),
    object: projection.project(object),
  };
}

interface ChangeContext {
  readonly admission: RequestAdmission;
  readonly name: string;
  readonly endpoint: Endpoint;
  readonly write: ProjectionWrite;
  readonly context: WriteContext;
  readonly scaled: ScaledKind | undefined;
}

/** Applies a projection's changes to the object. */
async function changed(current: ApiObject, change: ChangeContext): Promise<ApiObject> {
  const { admission, name, endpoint, write, context, scaled } = change;
  const { projection } = write;
  const bare = canonicalObject(projection.project(current), projection.struct);
  const before = projectedWithManagers(bare, current, scaled);
  const projected = await admission.mutateUpdate(await write.change(before, context), before);
  const errors = collectErrors(() => projection.validate(projected));
  if (errors.length > 0) throw invalid({ group: projection.kind.group, resource: projection.kind.kind }, name, errors);
  const sent = projected.metadata.resourceVersion ?? '';
  if (sent !== '' && sent !== current.metadata.resourceVersion) {
    throw conflict(groupResource(endpoint.resource), name, OBJECT_MODIFIED);
  }
  return objectWithManagers(projection.merge(current, projected), projected, { scaled, before: current });
}

function projectedEndpoint(endpoint: Endpoint, projection: Projection): Endpoint {
  return { ...endpoint, resource: endpoint.targets.ofProjection(projection) };
}
