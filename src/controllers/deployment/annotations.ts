import { parseGoInteger, ValueError } from '../../api/client.ts';
import type { ReplicaSet } from '../../api/types/apps/v1.d.ts';
import type { Observed } from '../../client/index.ts';
import type { DeploymentView } from './deployment-view.ts';

/** The revision of a ReplicaSet; on the Deployment, the current revision. */
export const REVISION = 'deployment.kubernetes.io/revision';
/** Earlier revisions of the ReplicaSet, before rollbacks made it current again. */
export const REVISION_HISTORY = 'deployment.kubernetes.io/revision-history';
/** The Deployment's replicas when the ReplicaSet was last resized: distinguishes scaling from a rollout. */
export const DESIRED_REPLICAS = 'deployment.kubernetes.io/desired-replicas';
/** The same with the surge added. */
export const MAX_REPLICAS = 'deployment.kubernetes.io/max-replicas';
/** The revision to roll back to, set by clients of the removed rollback API. */
export const ROLLBACK_TO = 'deprecated.deployment.rollback.to';

const NOT_COPIED: ReadonlySet<string> = new Set([
  'kubectl.kubernetes.io/last-applied-configuration',
  REVISION,
  REVISION_HISTORY,
  DESIRED_REPLICAS,
  MAX_REPLICAS,
  ROLLBACK_TO,
]);
const MAX_HISTORY_LENGTH = 2000;
const MAX_INT32 = 2n ** 31n - 1n;

type Annotations = Readonly<Record<string, string>>;

/** The annotations that are copied from a Deployment to its ReplicaSets, and back by a rollback. */
export function copiedAnnotations(annotations: Annotations | undefined): Annotations {
  return Object.fromEntries(Object.entries(annotations ?? {}).filter(([name]) => !NOT_COPIED.has(name)));
}

/** The annotations that are not copied. */
export function keptAnnotations(annotations: Annotations | undefined): Annotations {
  return Object.fromEntries(Object.entries(annotations ?? {}).filter(([name]) => NOT_COPIED.has(name)));
}

/** The revision of a ReplicaSet: 0 when it has none, undefined when it does not parse. */
export function revisionOf({ metadata }: Observed<ReplicaSet>): bigint | undefined {
  return readInteger(metadata.annotations?.[REVISION] ?? '0');
}

/** The revision after the highest valid one. It wraps around like Go's int64. */
export function nextRevision(sets: readonly Observed<ReplicaSet>[]): bigint {
  return BigInt.asIntN(64, (revisionsOf(sets)[0] ?? 0n) + 1n);
}

/** The second-highest revision. */
export function lastRevision(sets: readonly Observed<ReplicaSet>[]): bigint {
  return revisionsOf(sets)[1] ?? 0n;
}

/** The revisions above zero, highest first. */
function revisionsOf(sets: readonly Observed<ReplicaSet>[]): bigint[] {
  const revisions = sets.map((set) => revisionOf(set) ?? 0n).filter((revision) => revision > 0n);
  return revisions.toSorted((left, right) => (left < right ? 1 : Number(left > right) * -1));
}

/** The size annotations for the Deployment's current size. */
export function sizeAnnotations({ replicas, maxSurge }: DeploymentView): Annotations {
  return { [DESIRED_REPLICAS]: String(replicas), [MAX_REPLICAS]: String(replicas + maxSurge) };
}

/** A size annotation of the ReplicaSet; undefined when absent or malformed. */
export function sizeAnnotation({ metadata }: Observed<ReplicaSet>, name: string): number | undefined {
  const value = readInteger(metadata.annotations?.[name] ?? '');
  return value === undefined || value < 0n || value > MAX_INT32 ? undefined : Number(value);
}

/**
 * The annotations of the current ReplicaSet: the Deployment's, and the revision, which only grows. When a rollback
 * gives a ReplicaSet a new revision, the old one is appended to its history.
 */
export function currentSetAnnotations(
  deployment: DeploymentView,
  existing: Annotations,
  revision: bigint,
): Annotations {
  const annotations = { ...existing, ...copiedAnnotations(deployment.annotations) };
  const oldText = existing[REVISION];
  const old = oldText === undefined || oldText === '' ? 0n : readInteger(oldText);
  if (old === undefined || old >= revision) return annotations;
  annotations[REVISION] = String(revision);
  if (oldText !== undefined) Object.assign(annotations, extendHistory(existing[REVISION_HISTORY] ?? '', oldText));
  return annotations;
}

/** Drops the oldest revisions while the annotation is too long. */
function extendHistory(history: string, revision: string): Annotations {
  if (history === '' || history.startsWith(',')) return { [REVISION_HISTORY]: revision };
  const revisions = [...history.split(','), revision];
  while (revisions.length > 1 && revisions.join(',').length > MAX_HISTORY_LENGTH) revisions.shift();
  return { [REVISION_HISTORY]: revisions.join(',') };
}

function readInteger(text: string): bigint | undefined {
  const value = parseGoInteger(text, 'ParseInt', 64);
  return value instanceof ValueError ? undefined : value;
}
