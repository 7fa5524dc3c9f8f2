import { jsonAnswer } from './json-answer.ts';
import { type ApiObject, badRequest, builtInTypes, conflict, DecodeError, decodeJson } from '../../api/index.ts';
import { selectionOf } from './selection.ts';
import type { ApiAnswer } from './api-call.ts';
import { MAX_BODY_BYTES } from './decode-body.ts';
import { existing, inOrder, listed } from './read-verbs.ts';
import { outgoing } from './served-kind.ts';
import { objectAnswer, storageContext, type VerbContext } from './verb-context.ts';
import { isDryRun, timestamp } from './write-options.ts';

interface DeleteOptions {
  readonly preconditions?: { readonly uid?: string; readonly resourceVersion?: string };
  readonly propagationPolicy?: string;
  readonly isDryRun: boolean;
}

const OPTIONS_TYPE = 'io.k8s.apimachinery.pkg.apis.meta.v1.DeleteOptions';
const COLLECTORS: Readonly<Record<string, string>> = { Orphan: 'orphan', Foreground: 'foregroundDeletion' };

/** DELETE one object; one with finalizers is only marked, and goes when they are gone. */
export async function deleteOne(context: VerbContext): Promise<ApiAnswer> {
  const options = await readOptions(context);
  const object = await existing(context);
  const left = await remove(object, options, context);
  if (left !== undefined) return objectAnswer(200, left, context);
  const { served } = context;
  const { name = '', uid } = object.metadata;
  const details = { name, group: served.group, kind: served.plural, uid };
  const success = { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Success', details };
  return jsonAnswer(200, success, context.warnings);
}

/** DELETE all objects that are selected, one after the other. */
export async function deleteCollection(context: VerbContext): Promise<ApiAnswer> {
  const { served, target } = context;
  const options = await readOptions(context);
  const { items, resourceVersion = '' } = await listed(context);
  const selected = inOrder(items, selectionOf(target.query, served, target.namespace));
  const objects = selected.map((item) => outgoing(item, served));
  for (const object of objects) {
    const { namespace = '', name = '' } = object.metadata;
    await remove(object, options, { ...context, target: { ...target, namespace, name } });
  }
  const list = { kind: `${served.kind}List`, apiVersion: served.apiVersion, metadata: { resourceVersion } };
  return jsonAnswer(200, { ...list, items: objects });
}

/** Removes an object; the answer is the object where it stays for a while. */
async function remove(object: ApiObject, options: DeleteOptions, context: VerbContext): Promise<ApiObject | undefined> {
  const { served, clock, target } = context;
  const { uid, resourceVersion, deletionTimestamp, finalizers = [] } = object.metadata;
  const { preconditions = {} } = options;
  const failed =
    preconditions.uid !== undefined && preconditions.uid !== uid
      ? `UID in precondition: ${preconditions.uid}, UID in object meta: ${uid}`
      : preconditions.resourceVersion !== undefined && preconditions.resourceVersion !== resourceVersion
        ? `ResourceVersion in precondition: ${preconditions.resourceVersion}, ResourceVersion in object meta: ${resourceVersion}`
        : undefined;
  if (failed !== undefined) throw conflict(served.groupResource, target.name, `Precondition failed: ${failed}`);
  const collector = COLLECTORS[options.propagationPolicy ?? ''];
  const held = collector === undefined ? finalizers : [...new Set([...finalizers, collector])];
  const where = storageContext(context);
  if (held.length === 0) {
    if (!options.isDryRun) await served.resource.delete?.(object, where);
    return undefined;
  }
  const marked: ApiObject = {
    ...object,
    metadata: {
      ...object.metadata,
      finalizers: held,
      deletionTimestamp: deletionTimestamp ?? timestamp(clock.now()),
      deletionGracePeriodSeconds: 0,
      generation: (object.metadata.generation ?? 0) + (deletionTimestamp === undefined ? 1 : 0),
    },
  };
  const isPending = deletionTimestamp !== undefined && held.length === finalizers.length;
  if (isPending || options.isDryRun || served.resource.update === undefined) return marked;
  return outgoing(await served.resource.update(marked, object, where), served);
}

async function readOptions({ call, target }: VerbContext): Promise<DeleteOptions> {
  const body = await call.body(MAX_BODY_BYTES);
  const query = target.query;
  if (body.length === 0) {
    const propagationPolicy = query.get('propagationPolicy');
    return { isDryRun: isDryRun(query), ...(propagationPolicy === null ? {} : { propagationPolicy }) };
  }
  try {
    const { value } = decodeJson(body, builtInTypes().struct(OPTIONS_TYPE));
    const { dryRun = [], ...options } = value as Omit<DeleteOptions, 'isDryRun'> & { readonly dryRun?: string[] };
    return { ...options, isDryRun: dryRun.length > 0 || isDryRun(query) };
  } catch (cause) {
    if (cause instanceof DecodeError) throw badRequest(`couldn't read DeleteOptions: ${cause.message}`, { cause });
    throw cause;
  }
}
