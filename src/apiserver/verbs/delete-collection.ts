import { hasReason } from '../../api/index.ts';
import type { Answer } from '../answers/answer.ts';
import { writeContext } from '../endpoint.ts';
import type { Endpoint } from '../endpoint.ts';
import type { Call } from '../request/call.ts';
import { listOptions } from '../request/list-options.ts';
import { deleteOptions } from './delete-options.ts';
import { deleteAdmission, deleteObject, warnOfPropagation } from './delete.ts';
import { selectObjects } from './list.ts';

/** DELETE a collection: every selected object as if deleted by itself; answers with the list of what was selected. */
export async function deleteCollection(call: Call, endpoint: Endpoint): Promise<Answer> {
  const { resource, services } = endpoint;
  const selectors = listOptions(call.query, false);
  const options = await deleteOptions(call, services);
  const context = writeContext(call, endpoint, options);
  warnOfPropagation(endpoint, options, context);
  const admission = deleteAdmission(call, endpoint, options);
  const { items, metadata } = await selectObjects(endpoint, selectors, {
    namespace: call.info.namespace,
    name: '',
    signal: call.signal,
  });
  for (const item of items) {
    const { namespace = '', name = '' } = item.object.metadata;
    try {
      await deleteObject(endpoint, { namespace, name, options, context, admission });
    } catch (error) {
      if (!hasReason(error, 'NotFound')) throw error; // somebody else deleted it meanwhile
    }
  }
  return { type: 'list', resource, items, metadata };
}
