import { compareResourceVersions } from '../../api/client.ts';
import {
  type Client,
  hasReason,
  isTransportError,
  type Kind,
  type KubernetesObject,
  type Observed,
  StatusError,
} from '../../client/index.ts';

export interface ObjectMigration {
  readonly client: Client;
  readonly kind: Kind;
  /** Objects that were written after this one are in the right version already. */
  readonly resourceVersion: string;
  readonly fieldManager: string;
  readonly signal: AbortSignal;
}

const RETRIABLE_REASONS = new Set([
  'ServerTimeout',
  'TooManyRequests',
  'ServiceUnavailable',
  'InternalError',
  'Timeout',
]);
const RETRIABLE_CODES = new Set([429, 500, 503, 504]);

/** Has the server write every object of a kind once more, unchanged, so that it is stored in the present version. */
export async function migrateObjects(migration: ObjectMigration): Promise<void> {
  const { client, kind, resourceVersion, signal } = migration;
  for await (const object of client.kind(kind).metadata().items({ signal })) {
    const order = compareResourceVersions(object.metadata.resourceVersion, resourceVersion);
    if (order instanceof Error) throw order;
    if (order <= 0) await rewrite(object, migration);
  }
}

/**
 * Applies nothing to the object. Its uid and resourceVersion go along, so that an object which was written, deleted or made
 * anew meanwhile ends in a conflict: then nothing is left to be done.
 */
async function rewrite({ metadata }: Observed<KubernetesObject>, migration: ObjectMigration): Promise<void> {
  const { client, kind, fieldManager, signal } = migration;
  const { name, namespace, uid, resourceVersion } = metadata;
  const intent = { metadata: { name, uid, resourceVersion, ...(namespace === undefined ? {} : { namespace }) } };
  try {
    await client.kindIn(kind, namespace).apply(intent, { fieldManager, signal });
  } catch (error) {
    if (!hasReason(error, 'Conflict')) throw error;
  }
}

/** Whether the same may go well later: then the migration goes on instead of failing. */
export function isRetriable(error: unknown): boolean {
  if (isTransportError(error)) return true;
  if (!(error instanceof StatusError)) return false;
  return RETRIABLE_REASONS.has(error.reason) || (error.reason === '' && RETRIABLE_CODES.has(error.code));
}
