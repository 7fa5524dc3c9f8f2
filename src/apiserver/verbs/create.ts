import {
  alreadyExists,
  type ApiObject,
  ensureNamespace,
  type FieldError,
  fillSystemFields,
  invalid,
  StatusError,
  withMeta,
  withoutDuplicateOwners,
  withoutSystemFields,
  writeOptions,
} from '../../api/index.ts';
import { clone, withPauses } from '../../base/index.ts';
import { RequestAdmission } from '../admission/request-admission.ts';
import type { Answer } from '../answers/answer.ts';
import { type Endpoint, groupKind, groupResource, keyOf, writeContext } from '../endpoint.ts';
import type { Call } from '../request/call.ts';
import { decodeObject } from '../request/decode-object.ts';
import type { Alongside, Resource, WriteContext } from '../resource.ts';
import { asStep } from '../trace/as-step.ts';
import { asIfStored } from '../storage/conversion.ts';
import { isConflicting, type PutConflict } from '../storage/put-conflict.ts';
import { StoredObject } from '../storage/stored-object.ts';
import { newObjectProblems, validateNewObject } from '../validation/validate-object.ts';
import { putObject } from './put-object.ts';

/** POST one object. Every step may reject it; nothing is stored before the last one. */
export async function create(call: Call, endpoint: Endpoint): Promise<Answer> {
  const { resource } = endpoint;
  const options = writeOptions(call.request.query, 'CreateOptions');
  const sent = await decodeObject(call, resource, {
    fieldValidation: options.fieldValidation,
    services: endpoint.services,
  });
  ensureNamespace(sent, endpoint.resource.namespaced, call.info.namespace);
  const context = writeContext(call, endpoint, options);
  const admission = new RequestAdmission(call, endpoint, options);
  const object = await createObject(sent, endpoint, { admission, context });
  return { type: 'object', code: 201, resource, object };
}

const MAX_GENERATED_NAMES = 8;

export interface CreateOptions {
  readonly admission: RequestAdmission;
  readonly context: WriteContext;
  /** Whether the object already has its managedFields, as after an apply. */
  readonly hasManagedFields?: boolean;
}

/** Creates `sent`, trying other names while a generated one is taken. */
export async function createObject(
  sent: ApiObject,
  endpoint: Endpoint,
  { admission, context, hasManagedFields = false }: CreateOptions,
): Promise<StoredObject | ApiObject> {
  const { resource, services } = endpoint;
  const { pause } = context;
  const warn = (message: string): void => context.warn(message);
  const own = hasManagedFields ? sent : withoutDuplicateOwners(sent, { seen: 'sent', warn });
  // Upstream keeps what an applied configuration says of deletion, and a link until the object is stored.
  const bare = hasManagedFields ? { ...own, metadata: { ...own.metadata } } : withoutSystemFields(own);
  // metadata is a new object here, and managedFields its last member
  if (!hasManagedFields) {
    if (pause !== undefined) await pause();
    const owned = services.ownership.afterWrite(bare, undefined, { resource, context });
    bare.metadata.managedFields = owned instanceof Promise ? await owned : owned;
  }
  const mutating = admission.mutateCreate(bare);
  const admitted = mutating instanceof Promise ? await mutating : mutating;
  const mutated = withoutDuplicateOwners(admitted, { seen: 'admitted', warn });
  const { name = '', generateName = '' } = mutated.metadata;
  const isNameGenerated = name === '' && generateName !== '';
  // Preparing changes the object in place, so a copy is kept when it may have to be repeated.
  const mayRepeat = isNameGenerated || resource.strategy.alongside !== undefined;
  for (let tries = 1; ;) {
    if (pause !== undefined) await pause();
    const object = mayRepeat ? copyToPrepare(mutated) : { ...mutated };
    if (pause !== undefined && mayRepeat) await pause();
    fillSystemFields(object, context, services.random);
    if (!context.dryRun && object.metadata.selfLink !== undefined) {
      object.metadata = withMeta(object.metadata, { selfLink: undefined });
    }
    const checking = asStep(context.trace, 'validation', () => prepareAndCheck(object, endpoint, context));
    if (checking !== undefined) await checking;
    const validating = admission.validateCreate(object);
    if (validating !== undefined) await validating;
    resource.strategy.complete?.(object);
    if (pause !== undefined) await pause();
    const created = context.dryRun
      ? await ifStored(object, endpoint, context)
      : outcomeOf(await asStep(context.trace, 'store', () => store(object, endpoint, { context, hasManagedFields })));
    if (created === 'again') continue;
    if (!isTaken(created)) return created;
    if (generateName === '') throw nameTaken(endpoint, created.taken);
    if (!isNameGenerated || tries === MAX_GENERATED_NAMES) {
      throw generatedNameTaken(endpoint, object.metadata.name ?? '');
    }
    tries += 1;
  }
}

/** Preparing replaces managedFields, which can be as large as the rest, instead of changing them in place. */
function copyToPrepare(object: ApiObject): ApiObject {
  const { managedFields, ...metadata } = object.metadata;
  const copy: ApiObject = clone({ ...object, metadata });
  if (managedFields !== undefined) copy.metadata.managedFields = managedFields;
  return copy;
}

/** Synchronous when nothing has to be awaited. */
function prepareAndCheck(object: ApiObject, endpoint: Endpoint, context: WriteContext): void | Promise<void> {
  const { resource } = endpoint;
  const preparing = resource.strategy.prepareForCreate?.(object, context);
  if (preparing !== undefined || context.pause !== undefined)
    return checkLater(preparing, object, { resource, context });
  report(newObjectProblems(object, resource, context), object, { resource, context });
}

interface Creation {
  readonly resource: Resource;
  readonly context: WriteContext;
}

async function checkLater(preparing: void | Promise<void>, object: ApiObject, creation: Creation): Promise<void> {
  const { resource, context } = creation;
  await preparing;
  if (context.pause !== undefined) await context.pause();
  report(await withPauses(validateNewObject(object, resource, context), context.pause), object, creation);
}

function report(errors: readonly FieldError[], object: ApiObject, { resource, context }: Creation): void {
  if (errors.length > 0) throw invalid(groupKind(resource), object.metadata.name ?? '', errors);
  for (const warning of resource.strategy.warnings?.(object, undefined) ?? []) context.warn(warning);
}

async function ifStored(
  object: ApiObject,
  { resource, objects }: Endpoint,
  context: WriteContext,
): Promise<ApiObject | NameTaken> {
  const taken = await objects.get(keyOf(resource, object.metadata.namespace ?? '', object.metadata.name ?? ''));
  return taken === undefined ? await asIfStored(object, resource, context) : { taken };
}

function store(
  object: ApiObject,
  endpoint: Endpoint,
  { context, hasManagedFields }: { readonly context: WriteContext; readonly hasManagedFields: boolean },
): Promise<StoredObject | PutConflict> {
  const { resource } = endpoint;
  const key = keyOf(resource, object.metadata.namespace ?? '', object.metadata.name ?? '');
  // Checked only when the object is stored, so that a dry run accepts it, as upstream's does.
  if ((object.metadata.resourceVersion ?? '') !== '') {
    throw new StatusError({ code: 500, message: 'resourceVersion should not be set on objects to be created' });
  }
  const ttlSeconds = resource.strategy.ttlSeconds?.(object);
  const put = (alongside?: Alongside): Promise<StoredObject | PutConflict> => {
    const { pause } = context;
    const keepsManagedFields = hasManagedFields;
    const options = { expected: undefined, ttlSeconds, alongside, keepsManagedFields, writer: context, pause };
    return putObject(key, object, { endpoint, options });
  };
  const beside = resource.strategy.alongside?.({ type: 'create', object }, context);
  return beside === undefined ? put() : beside.then(put);
}

/** 'again': the additional operations are out of date, so the object must be prepared again. */
function outcomeOf(result: StoredObject | PutConflict): StoredObject | NameTaken | 'again' {
  if (!isConflicting(result)) return result;
  return typeof result.conflictsWith === 'string' ? 'again' : { taken: result.conflictsWith };
}

/** An object of that name already exists. */
interface NameTaken {
  readonly taken: StoredObject;
}

function isTaken(result: StoredObject | ApiObject | NameTaken): result is NameTaken {
  return 'taken' in result && result.taken instanceof StoredObject;
}

function nameTaken(endpoint: Endpoint, taken: StoredObject): StatusError {
  const { name = '', deletionTimestamp } = taken.object.metadata;
  const error = alreadyExists(groupResource(endpoint.resource), name);
  if (deletionTimestamp === undefined) return error;
  return new StatusError({ ...error.status, message: `object is being deleted: ${error.message}` });
}

function generatedNameTaken(endpoint: Endpoint, name: string): StatusError {
  const { status } = alreadyExists(groupResource(endpoint.resource), name);
  return new StatusError({
    code: 409,
    reason: 'AlreadyExists',
    message: `${status.message ?? ''}, the server was not able to generate a unique name for the object`,
    details: { ...status.details, retryAfterSeconds: 1 },
  });
}
