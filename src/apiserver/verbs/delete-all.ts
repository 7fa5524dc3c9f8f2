import { hasReason } from '../../api/index.ts';
import { type Endpoint, rangeOf } from '../endpoint.ts';
import type { WriteContext } from '../resource.ts';
import { deleteObject } from './delete.ts';

const OPTIONS = {
  gracePeriodSeconds: undefined,
  preconditions: undefined,
  orphanDependents: undefined,
  propagationPolicy: undefined,
  dryRun: false,
};

/**
 * Deletes every object of a kind without admission, because the kind itself is removed; objects with finalizers stay until these are
 * removed.
 */
export async function deleteAll(endpoint: Endpoint, signal: AbortSignal): Promise<void> {
  const { resource, objects, services } = endpoint;
  const { objects: all } = await objects.list(rangeOf(resource, ''), {});
  for (const { object } of all) {
    const { namespace = '', name = '' } = object.metadata;
    if (signal.aborted) return;
    try {
      await deleteObject(endpoint, { namespace, name, options: OPTIONS, context: ownContext(services, signal) });
    } catch (error) {
      if (!hasReason(error, 'NotFound')) throw error; // another client deleted it meanwhile
    }
  }
}

function ownContext({ clock, uids }: Endpoint['services'], signal: AbortSignal): WriteContext {
  return {
    user: { name: 'system:apiserver', groups: ['system:masters'] },
    verb: 'delete',
    dryRun: false,
    subresource: '',
    now: clock.now(),
    newUid: () => uids.next(),
    signal,
    manager: 'kube-apiserver',
    warn: () => undefined,
    annotate: () => undefined,
  };
}
