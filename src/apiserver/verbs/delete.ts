import {
  type ApiObject,
  bodyFormatOf,
  checkDeletePreconditions,
  decideDeletion,
  deleteOptions,
  type DeleteOptions,
  encodeJson,
  hasReason,
  listOptions,
  notFound,
  type Status,
} from '../../api/index.ts';
import { operationOptions } from '../admission/admission-attributes.ts';
import { RequestAdmission } from '../admission/request-admission.ts';
import type { Answer } from '../answers/answer.ts';
import { type Endpoint, groupResource, keyOf, writeContext } from '../endpoint.ts';
import type { Call } from '../request/call.ts';
import { bodyToDecode } from '../request/large-body.ts';
import type { WriteContext } from '../resource.ts';
import { convertForReading, convertForStoring } from '../storage/conversion.ts';
import { isConflicting } from '../storage/put-conflict.ts';
import { StoredObject } from '../storage/stored-object.ts';
import { selectObjects } from './list.ts';

/** DELETE one object: at once, or by marking it until its grace period has passed and its finalizers are removed. */
export async function deleteOne(call: Call, endpoint: Endpoint): Promise<Answer> {
  const { resource } = endpoint;
  const options = await optionsOf(call, endpoint);
  const context = writeContext(call, endpoint, options);
  warnOfPropagation(endpoint, options, context);
  const { namespace, name } = call.info;
  const admission = deleteAdmission(call, endpoint, options);
  const deleted = await deleteObject(endpoint, { namespace, name, options, context, admission });
  if (deleted.isGone && !resource.strategy.returnsDeletedObject) {
    return { type: 'status', status: deletedStatus(deleted.object, endpoint) };
  }
  const code = !deleted.isGone && options.orphanDependents === false ? 202 : 200;
  return { type: 'object', code, resource, object: deleted.object };
}

/** The options of a deletion, from the body or the query. */
async function optionsOf({ request, record }: Call, { services }: Endpoint): Promise<DeleteOptions> {
  const body = await bodyToDecode(request, services);
  const { audit } = record;
  const sent = {
    query: request.query,
    body,
    format: () => bodyFormatOf(request.header('content-type') ?? ''),
    ...(audit === undefined ? {} : { onDecoded: (options: Partial<ApiObject>) => audit.sent(options, encodeJson) }),
  };
  return deleteOptions(sent, services.types);
}

function deleteAdmission(call: Call, endpoint: Endpoint, options: DeleteOptions): RequestAdmission {
  const { dryRun } = options;
  const stated = operationOptions('DeleteOptions', { ...options, dryRun: dryRun ? ['All'] : undefined });
  return new RequestAdmission(call, endpoint, { dryRun, deleteOptions: stated });
}

/** Warns a client that does not set a propagation policy, when the kind's default is surprising. */
function warnOfPropagation({ resource }: Endpoint, options: DeleteOptions, context: WriteContext): void {
  const { propagationWarning } = resource.strategy;
  if (propagationWarning === undefined) return;
  if (options.propagationPolicy === undefined && options.orphanDependents === undefined) {
    context.warn(propagationWarning);
  }
}

export interface DeleteRequest {
  readonly namespace: string;
  readonly name: string;
  readonly options: DeleteOptions;
  readonly context: WriteContext;
  /** Absent when the server itself deletes, such as for an eviction. */
  readonly admission?: RequestAdmission;
}

export interface Deleted {
  /** The last state of the object: marked for deletion, or as it was removed. */
  readonly object: StoredObject | ApiObject;
  readonly isGone: boolean;
}

/** Deletes the object, and retries when other clients change it at the same time. */
export async function deleteObject(endpoint: Endpoint, request: DeleteRequest): Promise<Deleted> {
  const { resource, objects } = endpoint;
  const key = keyOf(resource, request.namespace, request.name);
  for (;;) {
    const stored = await objects.get(key);
    if (stored === undefined) throw notFound(groupResource(resource), request.name);
    const done = await deleteStored(stored, endpoint, request);
    if (done !== 'lost') return done;
  }
}

async function deleteStored(
  stored: StoredObject,
  endpoint: Endpoint,
  request: DeleteRequest,
): Promise<Deleted | 'lost'> {
  const { resource, objects } = endpoint;
  const { options, context } = request;
  const { strategy } = resource;
  await convertForReading([stored], resource, context);
  const current = stored.as(resource);
  checkDeletePreconditions(current, options, { group: resource.group, resource: resource.kind });
  await request.admission?.admitDelete(current);
  const own = strategy.beforeDelete?.(current, context) ?? 'delete';
  if (own === current) return { object: stored, isGone: false };
  if (own !== 'delete') return mark(own, stored, endpoint, context);
  const decision = decideDeletion(current, strategy, { options, now: context.now });
  if (decision.type === 'pending') return { object: stored, isGone: false };
  if (decision.type === 'mark' && !decision.thenRemove) return mark(decision.object, stored, endpoint, context);
  if (context.dryRun) return { object: current, isGone: true };
  let last = stored;
  if (decision.type === 'mark') {
    const marked = await mark(decision.object, stored, endpoint, context);
    if (marked === 'lost') return 'lost';
    last = marked.object as StoredObject;
  }
  const removed = await objects.remove(last, await strategy.alongside?.({ type: 'delete', old: current }, context));
  if (isConflicting(removed)) return 'lost';
  const gone = objects.atRevision(last, removed);
  await convertForReading([gone], resource, context);
  return { object: gone, isGone: true };
}

async function mark(
  object: ApiObject,
  stored: StoredObject,
  endpoint: Endpoint,
  context: WriteContext,
): Promise<Deleted | 'lost'> {
  if (context.dryRun) return { object, isGone: false };
  const { resource, objects } = endpoint;
  const { resourceVersion: _, ...metadata } = object.metadata;
  const value = await convertForStoring({ ...object, metadata }, resource, context);
  const result = await objects.put(stored.key, value, { expected: stored });
  if (isConflicting(result)) return 'lost';
  await convertForReading([result], resource, context);
  return { object: result, isGone: false };
}

function deletedStatus(object: StoredObject | ApiObject, endpoint: Endpoint): Status {
  const { resource } = endpoint;
  const { metadata } = object instanceof StoredObject ? object.object : object;
  return {
    kind: 'Status',
    apiVersion: 'v1',
    metadata: {},
    status: 'Success',
    details: {
      ...(metadata.name === undefined ? {} : { name: metadata.name }),
      ...(resource.group === '' ? {} : { group: resource.group }),
      kind: resource.plural,
      ...(metadata.uid === undefined ? {} : { uid: metadata.uid }),
    },
    code: 200,
  };
}

/** DELETE a collection: every selected object like a single one; answers with the list of selected objects. */
export async function deleteCollection(call: Call, endpoint: Endpoint): Promise<Answer> {
  const { resource } = endpoint;
  const selectors = listOptions(call.request.query, false);
  const options = await optionsOf(call, endpoint);
  const context = writeContext(call, endpoint, options);
  warnOfPropagation(endpoint, options, context);
  const admission = deleteAdmission(call, endpoint, options);
  const { items, metadata } = await selectObjects(endpoint, selectors, {
    namespace: call.info.namespace,
    name: '',
    reader: call.request,
  });
  for (const item of items) {
    const { namespace = '', name = '' } = item.object.metadata;
    try {
      await deleteObject(endpoint, { namespace, name, options, context, admission });
    } catch (error) {
      if (!hasReason(error, 'NotFound')) throw error; // another client deleted it meanwhile
    }
  }
  return { type: 'list', resource, items, metadata };
}
