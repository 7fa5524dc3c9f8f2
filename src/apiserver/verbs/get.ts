import { notFound } from '../../api/index.ts';
import type { Answer } from '../answers/answer.ts';
import { type Endpoint, groupResource, keyOf } from '../endpoint.ts';
import type { Call } from '../request/call.ts';
import { convertForReading } from '../storage/conversion.ts';
import { atLeastRevision, parseRevision } from './revision-rules.ts';

/** GET one object. */
export async function get(call: Call, endpoint: Endpoint): Promise<Answer> {
  const { resource, objects } = endpoint;
  const resourceVersion = call.query.get('resourceVersion');
  const notOlderThan = resourceVersion === '' ? undefined : parseRevision(resourceVersion, false);
  if (notOlderThan !== undefined) await atLeastRevision(objects, notOlderThan);
  const object = await objects.get(keyOf(resource, call.info.namespace, call.info.name), { notOlderThan });
  if (object === undefined) throw notFound(groupResource(resource), call.info.name);
  const converting = convertForReading([object], resource, call);
  if (converting !== undefined) await converting;
  return { type: 'object', code: 200, resource, object };
}
