import { canonicalize } from '../../api/index.ts';
import type { ApiObject } from '../../api/index.ts';
import type { Resource } from '../resource.ts';
import { apiVersionOf } from '../storage/stored-object.ts';
import type { WatchEvent } from './answer.ts';

/** Tells that the state is complete and changes follow (KEP-3157). */
const INITIAL_EVENTS_END = { 'k8s.io/initial-events-end': 'true' };

/** The object of a BOOKMARK: an empty one of the kind, with nothing but the resourceVersion. */
export function bookmarkObject(event: Extract<WatchEvent, { type: 'BOOKMARK' }>, resource: Resource): ApiObject {
  const annotations = event.endsInitialEvents ? { annotations: INITIAL_EVENTS_END } : {};
  const metadata = { ...annotations, resourceVersion: event.resourceVersion };
  const object = { apiVersion: apiVersionOf(resource), kind: resource.kind, metadata };
  if (resource.capabilities.objects === 'unstructured') return object;
  return canonicalize(object, resource.type) as unknown as ApiObject;
}
