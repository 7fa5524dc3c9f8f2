import { jsonAnswer } from './json-answer.ts';
import {
  type ApiObject,
  type BodyFormat,
  bodyFormatOf,
  builtInTypes,
  checkDeletePreconditions,
  decideDeletion,
  deleteOptions,
  type DeleteOptions,
  listOptions,
} from '../../api/index.ts';
import { selectionOf } from './selection.ts';
import type { ApiAnswer } from './api-call.ts';
import { MAX_BODY_BYTES } from './decode-body.ts';
import { existing, inOrder, listed } from './read-verbs.ts';
import { outgoing } from './served-kind.ts';
import { objectAnswer, storageContext, type VerbContext } from './verb-context.ts';

/** DELETE one object. An object with finalizers is only marked, and removed with its last finalizer. */
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

/** DELETE all selected objects, one after the other. */
export async function deleteCollection(context: VerbContext): Promise<ApiAnswer> {
  const { served, target } = context;
  const options = await readOptions(context);
  const { items, resourceVersion = '' } = await listed(context);
  const selected = inOrder(items, selectionOf(listOptions(target.query, false), served, target.namespace));
  const objects = selected.map((item) => outgoing(item, served));
  for (const object of objects) {
    const { namespace = '', name = '' } = object.metadata;
    await remove(object, options, { ...context, target: { ...target, namespace, name } });
  }
  const list = { kind: `${served.kind}List`, apiVersion: served.apiVersion, metadata: { resourceVersion } };
  return jsonAnswer(200, { ...list, items: objects });
}

/** Removes an object; returns it if finalizers hold it. */
async function remove(object: ApiObject, options: DeleteOptions, context: VerbContext): Promise<ApiObject | undefined> {
  const { served, clock } = context;
  const { group, kind } = served;
  checkDeletePreconditions(object, options, { group, resource: kind });
  const decision = decideDeletion(object, {}, { options, now: clock.now() });
  const where = storageContext(context);
  if (decision.type === 'pending') return object;
  if (decision.type === 'remove') {
    if (!options.dryRun) await served.resource.delete?.(object, where);
    return undefined;
  }
  if (options.dryRun || served.resource.update === undefined) return decision.object;
  return outgoing(await served.resource.update(decision.object, object, where), served);
}

async function readOptions({ call, target }: VerbContext): Promise<DeleteOptions> {
  const body = await call.body(MAX_BODY_BYTES);
  const format = (): BodyFormat => bodyFormatOf(call.header('content-type') ?? '');
  return deleteOptions({ query: target.query, body, format }, builtInTypes());
}
