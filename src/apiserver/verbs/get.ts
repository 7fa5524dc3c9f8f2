import { notFound } from '../../api/index.ts';
import type { Answer } from '../answers/answer.ts';
import { type Endpoint, groupResource, keyOf } from '../endpoint.ts';
import type { Call } from '../request/call.ts';
import { convertForReading } from '../storage/conversion.ts';
import type { StoredObject } from '../storage/stored-object.ts';
import { atLeastRevision, parseRevision } from './revision-rules.ts';

/** GET one object. Synchronous when the store is in this process. */
export function get(call: Call, endpoint: Endpoint): Answer | Promise<Answer> {
  const resourceVersion = call.request.query.get('resourceVersion');
  if (resourceVersion !== '') return getNotOlder(call, endpoint, resourceVersion);
  const { resource, objects } = endpoint;
  const found = objects.get(keyOf(resource, call.info.namespace, call.info.name));
  if (found instanceof Promise) return found.then((object) => answerWith(object, call, endpoint));
  return answerWith(found, call, endpoint);
}

async function getNotOlder(call: Call, endpoint: Endpoint, resourceVersion: string): Promise<Answer> {
  const { resource, objects } = endpoint;
  const notOlderThan = parseRevision(resourceVersion, false);
  await atLeastRevision(objects, notOlderThan);
  const object = await objects.get(keyOf(resource, call.info.namespace, call.info.name), { notOlderThan });
  return answerWith(object, call, endpoint);
}

function answerWith(object: StoredObject | undefined, call: Call, { resource }: Endpoint): Answer | Promise<Answer> {
  if (object === undefined) throw notFound(groupResource(resource), call.info.name);
  const answer: Answer = { type: 'object', code: 200, resource, object };
  const converting = convertForReading([object], resource, call.request);
  return converting === undefined ? answer : converting.then(() => answer);
}
