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
  /** Objects with a newer resourceVersion are already in the right version. */
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

/** Rewrites every object of a kind unchanged, so that the API server stores it in the current version. */
export async function migrateObjects(migration: ObjectMigration): Promise<void> {
  const { client, kind, resourceVersion, signal } = migration;
  for await (const object of client.kind(kind).metadata().items({ signal })) {
    const order = compareResourceVersions(object.metadata.resourceVersion, resourceVersion);
    if (order instanceof Error) throw order;
    if (order <= 0) await rewrite(object, migration);
  }
}

/**
 * Applies an empty change with uid and resourceVersion, so that an object which was changed, deleted or recreated in
 * between gives a conflict: then nothing is left to do.
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

/** Whether a retry may succeed: then the migration continues instead of failing. */
export function isRetriable(error: unknown): boolean {
  if (isTransportError(error)) return true;
  if (!(error instanceof StatusError)) return false;
  return RETRIABLE_REASONS.has(error.reason) || (error.reason === '' && RETRIABLE_CODES.has(error.code));
}
