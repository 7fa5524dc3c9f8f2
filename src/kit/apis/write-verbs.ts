import {
  alreadyExists,
  type ApiObject,
  badRequest,
  checkIsNewest,
  checkName,
  conflict,
  ensureNamespace,
  failedPrecondition,
  fillSystemFields,
  invalid,
  invalidValue,
  isReleased,
  keepSystemFields,
  keepTimes,
  withMeta,
  withoutSystemFields,
} from '../../api/index.ts';
import { deepEqual } from '../../base/index.ts';
import type { KubernetesObject } from '../../client/index.ts';
import type { ApiAnswer } from './api-call.ts';
import { checkObject } from './check-object.ts';
import { decodeBody } from './decode-body.ts';
import { ownedAfter } from './ownership.ts';
import { existing, find } from './read-verbs.ts';
import { outgoing } from './served-kind.ts';
import { objectAnswer, storageContext, type VerbContext } from './verb-context.ts';
import { optionsOf, writerOf } from './write-options.ts';

/** POST one object. */
export async function create(context: VerbContext): Promise<ApiAnswer> {
  return objectAnswer(201, await createObject(await decodeBody(context), context), context);
}

/** Stores a decoded object; keeps its `managedFields` if server-side apply computed them. */
export async function createObject(
  sent: ApiObject,
  context: VerbContext,
  { isApplied = false }: { readonly isApplied?: boolean } = {},
): Promise<ApiObject> {
  const { served, target, clock, uids, random } = context;
  const { resourceVersion = '', managedFields } = sent.metadata;
  if (resourceVersion !== '') throw badRequest('resourceVersion should not be set on objects to be created');
  const { status: _status, ...withoutStatus } = sent;
  const made = withoutSystemFields(served.hasStatus ? (withoutStatus as ApiObject) : sent);
  ensureNamespace(made, served.isNamespaced, target.namespace);
  fillSystemFields(made, { newUid: () => uids.next(), now: clock.now() }, random);
  made.metadata = withMeta(made.metadata, { generation: 1, managedFields: undefined });
  checkObject(made, served);
  const { namespace } = target;
  const { name = '' } = made.metadata;
  const { signal } = context.call;
  if (served.isNamespaced) await context.ensureNamespace({ namespace, name, resource: served.groupResource, signal });
  const owned = isApplied ? managedFields : await ownedAfter(made, undefined, ownedWrite(context));
  const object = withManagedFields(made, owned);
  if (optionsOf(context, isApplied).dryRun) return refusedIfThere(object, context);
  return outgoing((await served.resource.create?.(object, storageContext(context))) ?? object, served);
}

async function refusedIfThere(object: ApiObject, context: VerbContext): Promise<ApiObject> {
  const name = object.metadata.name ?? '';
  const { served } = context;
  if ((await find({ ...context, target: { ...context.target, name } })) === undefined) return object;
  throw alreadyExists(served.groupResource, name);
}

/** PUT one object, or its status. */
export async function update(context: VerbContext): Promise<ApiAnswer> {
  const sent = await decodeBody(context);
  const { target, served } = context;
  checkName(sent, target.name);
  const old = await existing(context);
  if ((sent.metadata.resourceVersion ?? '') === '') {
    throw invalid({ group: served.group, resource: served.plural }, target.name, [
      invalidValue('metadata.resourceVersion', 0, 'must be specified for an update'),
    ]);
  }
  return objectAnswer(200, await replaceObject(sent, old, context), context);
}

/** Stores a changed object in place of the one it was made from. */
export async function replaceObject(
  sent: ApiObject,
  old: ApiObject,
  context: VerbContext,
  { isApplied = false }: { readonly isApplied?: boolean } = {},
): Promise<ApiObject> {
  const { served, target } = context;
  const isStatus = target.subresource === 'status';
  const { uid = '' } = sent.metadata;
  const failed = failedPrecondition(uid === '' ? undefined : { uid }, old);
  if (failed !== undefined) throw conflict(served.groupResource, target.name, failed);
  checkIsNewest(sent, old, served.groupResource);
  const changing = { ...sent };
  ensureNamespace(changing, served.isNamespaced, target.namespace);
  const placed = prepared(changing, old, { isStatus, hasStatus: served.hasStatus });
  checkObject(placed, served, { old, isStatus });
  const owned = isApplied ? sent.metadata.managedFields : await ownedAfter(placed, old, ownedWrite(context));
  const changed = withManagedFields(placed, owned);
  const object = withManagedFields(changed, keepTimes(changed, old));
  if (optionsOf(context, isApplied).dryRun || deepEqual(object, old)) return object;
  return storeUpdate(object, old, context);
}

/** Stores an update; removes the object instead if it is being deleted and has lost its last finalizer. */
export async function storeUpdate(object: ApiObject, old: ApiObject, context: VerbContext): Promise<ApiObject> {
  const { resource } = context.served;
  const where = storageContext(context);
  if (isReleased(object, old)) {
    await resource.delete?.(old, where);
    return object;
  }
  const stored: KubernetesObject | undefined = await resource.update?.(object, old, where);
  return outgoing(stored ?? object, context.served);
}

/** Restores the fields that this writer may not change: system fields, and the status or everything else. */
function prepared(
  sent: ApiObject,
  old: ApiObject,
  { isStatus, hasStatus }: { readonly isStatus: boolean; readonly hasStatus: boolean },
): ApiObject {
  const { generation = 1 } = old.metadata;
  if (isStatus) {
    const { status: _, ...rest } = old;
    return { ...rest, metadata: old.metadata, ...('status' in sent ? { status: sent['status'] } : {}) };
  }
  const { status: sentStatus, ...body } = sent;
  const status = hasStatus ? old['status'] : sentStatus;
  const object: ApiObject = { ...(body as ApiObject), ...(status === undefined ? {} : { status }) };
  const isSame = deepEqual({ ...object, metadata: {} }, { ...old, metadata: {} });
  keepSystemFields(object, old);
  const { name, resourceVersion, selfLink } = old.metadata;
  object.metadata = withMeta(object.metadata, {
    name,
    resourceVersion,
    selfLink,
    generation: isSame ? generation : generation + 1,
  });
  return object;
}

function withManagedFields(object: ApiObject, managedFields: ApiObject['metadata']['managedFields']): ApiObject {
  const { managedFields: _, ...metadata } = object.metadata;
  return { ...object, metadata: managedFields === undefined ? metadata : { ...metadata, managedFields } };
}

export function ownedWrite(context: VerbContext) {
  const { served, target } = context;
  return { served, writer: writerOf(context), subresource: target.subresource };
}
