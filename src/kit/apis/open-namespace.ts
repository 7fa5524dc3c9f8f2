import { forbidden, type GroupResource, NAMESPACE_TERMINATING, notFound, StatusError } from '../../api/client.ts';
import { type Client, hasReason, Namespace } from '../../client/index.ts';

/** The place of an object to be created. */
export interface NewPlace {
  readonly namespace: string;
  readonly name: string;
  readonly resource: GroupResource;
  readonly signal: AbortSignal;
}

/** Refuses new objects in namespaces that do not exist or are being deleted. */
export async function ensureOpenNamespace(client: Client, place: NewPlace): Promise<void> {
  const { namespace, name, resource, signal } = place;
  const found = await client
    .kind(Namespace)
    .get(namespace, { signal })
    .catch((error: unknown) => {
      if (hasReason(error, 'NotFound')) throw notFound({ group: '', resource: 'namespaces' }, namespace);
      throw error;
    });
  if (found.metadata.deletionTimestamp === undefined) return;
  const why = `unable to create new content in namespace ${namespace} because it is being terminated`;
  const { status } = forbidden(resource, name, why);
  const message = `namespace ${namespace} is being terminated`;
  const cause = { reason: NAMESPACE_TERMINATING, message, field: 'metadata.namespace' };
  throw new StatusError({ ...status, message: status.message ?? why, details: { ...status.details, causes: [cause] } });
}
