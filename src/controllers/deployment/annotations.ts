import { parseGoInteger, ValueError } from '../../api/client.ts';
import type { ReplicaSet } from '../../api/types/apps/v1.d.ts';
import type { Observed } from '../../client/index.ts';
import type { DeploymentView } from './deployment-view.ts';

/** Which step of the Deployment's history a ReplicaSet is; on the Deployment, which one is current. */
export const REVISION = 'deployment.kubernetes.io/revision';
/** Earlier revisions that the ReplicaSet was, before rollbacks made it current again. */
export const REVISION_HISTORY = 'deployment.kubernetes.io/revision-history';
/** The Deployment's replicas when the ReplicaSet was last sized: how scaling is told from rolling. */
export const DESIRED_REPLICAS = 'deployment.kubernetes.io/desired-replicas';
/** The same with the surge added. */
export const MAX_REPLICAS = 'deployment.kubernetes.io/max-replicas';
/** The revision to go back to, from times when the server did that. */
export const ROLLBACK_TO = 'deprecated.deployment.rollback.to';

const NOT_COPIED: ReadonlySet<string> = new Set([
  'kubectl.kubernetes.io/last-applied-configuration',
  REVISION,
  REVISION_HISTORY,
  DESIRED_REPLICAS,
  MAX_REPLICAS,
  ROLLBACK_TO,
]);
const LONGEST_HISTORY = 2000;

type Annotations = Readonly<Record<string, string>>;

/** The annotations that go from a Deployment to its ReplicaSets, or back with a rollback. */
export function copiedAnnotations(annotations: Annotations | undefined): Annotations {
  return Object.fromEntries(Object.entries(annotations ?? {}).filter(([name]) => !NOT_COPIED.has(name)));
}

/** The annotations that stay where they are. */
export function keptAnnotations(annotations: Annotations | undefined): Annotations {
  return Object.fromEntries(Object.entries(annotations ?? {}).filter(([name]) => NOT_COPIED.has(name)));
}

/** The revision of a ReplicaSet: 0 when it has none, undefined when it cannot be read. */
export function revisionOf({ metadata }: Observed<ReplicaSet>): number | undefined {
  return readInteger(metadata.annotations?.[REVISION] ?? '0');
}

/** The highest of the revisions that can be read. */
export function maxRevision(sets: readonly Observed<ReplicaSet>[]): number {
  return Math.max(0, ...sets.map((set) => revisionOf(set) ?? 0));
}

/** The highest but one. */
export function lastRevision(sets: readonly Observed<ReplicaSet>[]): number {
  const revisions = sets.map((set) => revisionOf(set) ?? 0).toSorted((left, right) => right - left);
  return Math.max(0, revisions[1] ?? 0);
}

/** What the annotations say about sizes, for the Deployment as it is now. */
export function sizeAnnotations({ replicas, maxSurge }: DeploymentView): Annotations {
  return { [DESIRED_REPLICAS]: String(replicas), [MAX_REPLICAS]: String(replicas + maxSurge) };
}

/** A size that a ReplicaSet carries; undefined when it carries none that can be read. */
export function sizeAnnotation({ metadata }: Observed<ReplicaSet>, name: string): number | undefined {
  const value = readInteger(metadata.annotations?.[name] ?? '');
  return value === undefined || value < 0 || value > 2 ** 31 - 1 ? undefined : value;
}

/**
 * The annotations of the current ReplicaSet: the Deployment's, and the revision, which only grows. When a ReplicaSet gets a
 * new revision, because the Deployment came back to it, the old one goes to the end of its history.
 */
export function currentSetAnnotations(
  deployment: DeploymentView,
  existing: Annotations,
  revision: number,
): Annotations {
  const annotations = { ...existing, ...copiedAnnotations(deployment.annotations) };
  const oldText = existing[REVISION];
  const old = oldText === undefined || oldText === '' ? 0 : readInteger(oldText);
  if (old === undefined || old >= revision) return annotations;
  annotations[REVISION] = String(revision);
  if (oldText !== undefined) Object.assign(annotations, extendHistory(existing[REVISION_HISTORY] ?? '', oldText));
  return annotations;
}

/** Drops the oldest revisions while the text is too long. */
function extendHistory(history: string, revision: string): Annotations {
  if (history === '' || history.startsWith(',')) return { [REVISION_HISTORY]: revision };
  const revisions = [...history.split(','), revision];
  while (revisions.length > 1 && revisions.join(',').length > LONGEST_HISTORY) revisions.shift();
  return { [REVISION_HISTORY]: revisions.join(',') };
}

function readInteger(text: string): number | undefined {
  const value = parseGoInteger(text, 'ParseInt', 64);
  return value instanceof ValueError ? undefined : Number(value);
}
