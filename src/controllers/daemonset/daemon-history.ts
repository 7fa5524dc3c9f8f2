import type { ControllerRevision, DaemonSet } from '../../api/types/apps/v1.d.ts';
import type { Pod } from '../../api/types/core/v1.d.ts';
import { hasReason, keyOf, mergePatch, type Observed } from '../../client/index.ts';
import type { Objects } from '../../kit/index.ts';
import type { TemplateHasher } from '../pod-template-hash/index.ts';
import { byRevision, dataOfTemplate, isSameData, nextRevision, type Revision } from '../revisions/index.ts';
import { HASH } from './daemon-pod.ts';
import { viewDaemonSet } from './daemon-view.ts';

export interface DaemonHistory {
  /** The hash of the current template, which labels its revision and its pods. */
  readonly hash: string;
  readonly old: readonly Revision[];
}

export interface HistoryTools {
  readonly revisions: Objects<ControllerRevision>;
  readonly sets: Objects<DaemonSet>;
  readonly pods: Objects<Pod>;
  readonly hasher: TemplateHasher;
}

/**
 * Finds or creates the revision of the current template and makes it the newest. Of equal revisions only the newest
 * stays, and the pods of the others are relabelled.
 */
export async function findHistory(
  set: Observed<DaemonSet>,
  { claimed, ownPods }: { readonly claimed: readonly Revision[]; readonly ownPods: readonly Observed<Pod>[] },
  tools: HistoryTools,
): Promise<DaemonHistory> {
  const labelled = await Promise.all(claimed.map((revision) => withHash(revision, tools)));
  const data = dataOfTemplate(viewDaemonSet(set).template);
  const equal = labelled.filter((revision) => isSameData(revision.data, data)).toSorted(byRevision);
  const old = labelled.filter((revision) => !equal.includes(revision));
  const kept = equal.at(-1);
  if (kept === undefined) {
    const made = await createRevision(set, nextRevision(old), tools);
    return { hash: hashOf(made), old };
  }
  await removeDuplicates(equal, ownPods, tools);
  const revision = nextRevision(old);
  if (kept.revision < revision) await change(kept, { revision }, tools);
  return { hash: hashOf(kept), old };
}

/** The oldest revisions beyond the history limit; never one that has pods. */
export function revisionsToRemove(
  old: readonly Revision[],
  { pods, limit }: { readonly pods: readonly Observed<Pod>[]; readonly limit: number },
): readonly Revision[] {
  const live = new Set(pods.map(({ metadata }) => metadata.labels?.[HASH]));
  const past = old.toSorted(byRevision).filter((revision) => !live.has(hashOf(revision)));
  return past.slice(0, Math.max(0, old.length - limit));
}

function hashOf({ metadata }: Revision): string {
  return metadata.labels?.[HASH] ?? '';
}

/** Revisions without a hash label, from old versions, use their name as hash. */
async function withHash(revision: Revision, tools: HistoryTools): Promise<Revision> {
  if (revision.metadata.labels?.[HASH] !== undefined) return revision;
  return change(revision, { metadata: { labels: { [HASH]: revision.metadata.name } } }, tools);
}

function change(
  found: Revision,
  { metadata, ...changes }: { readonly revision?: number; readonly metadata?: object },
  { revisions }: HistoryTools,
): Promise<Revision> {
  const { uid } = found.metadata;
  return revisions.patch(keyOf(found), mergePatch({ ...changes, metadata: { uid, ...metadata } }));
}

async function removeDuplicates(
  equal: readonly Revision[],
  pods: readonly Observed<Pod>[],
  tools: HistoryTools,
): Promise<void> {
  const kept = equal.at(-1);
  if (kept === undefined || equal.length === 1) return;
  const labels = { [HASH]: hashOf(kept) };
  for (const pod of pods) {
    if (pod.metadata.labels?.[HASH] !== hashOf(kept))
      await tools.pods.patch(keyOf(pod), mergePatch({ metadata: { labels } }));
  }
  for (const duplicate of equal.slice(0, -1)) await tools.revisions.delete(keyOf(duplicate));
}

/** On a name collision, increments collisionCount in the status; the next run tries the new hash. */
async function createRevision(
  set: Observed<DaemonSet>,
  revision: number,
  { revisions, sets, hasher }: HistoryTools,
): Promise<Revision> {
  const view = viewDaemonSet(set);
  const data = dataOfTemplate(view.template);
  const hash = hasher.hash(view.template, set.status?.collisionCount);
  const name = `${view.name}-${hash}`;
  try {
    return await revisions.create({
      metadata: {
        name,
        namespace: view.namespace,
        labels: { ...view.template.metadata?.labels, [HASH]: hash },
        ...(view.annotations === undefined ? {} : { annotations: view.annotations }),
        ownerReferences: [view.reference],
      },
      data,
      revision,
    });
  } catch (error) {
    const found = hasReason(error, 'AlreadyExists') ? await revisions.fetch(`${view.namespace}/${name}`) : undefined;
    if (found !== undefined && isSameData(found.data, data)) return found;
    const latest = found === undefined ? undefined : await sets.fetch(keyOf(set));
    if (latest?.status !== undefined && latest.status.collisionCount === set.status?.collisionCount) {
      const collisionCount = (latest.status.collisionCount ?? 0) + 1;
      await sets.updateStatus({ ...latest, status: { ...latest.status, collisionCount } });
    }
    throw error;
  }
}
