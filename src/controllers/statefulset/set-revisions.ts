import type { ControllerRevision, StatefulSet } from '../../api/types/apps/v1.d.ts';
import type { Pod } from '../../api/types/core/v1.d.ts';
import { hasReason, keyOf, mergePatch, type Observed, type Sendable } from '../../client/index.ts';
import type { Objects } from '../../kit/index.ts';
import {
  byRevision,
  dataOfTemplate,
  isSameData,
  nextRevision,
  type Revision,
  type RevisionData,
  revisionHash,
} from '../revisions/index.ts';
import { viewStatefulSet } from './set-view.ts';
import { revisionOfPod } from './stateful-pod.ts';

const HASH = 'controller.kubernetes.io/hash';
/** Maximum length of the set's name in a revision's name, so that the hash fits. */
const MAX_PREFIX_LENGTH = 223;

/** The current and the update revision of a set. */
export interface SetRevisions {
  readonly current: Revision;
  readonly update: Revision;
  readonly collisionCount: number;
}

/**
 * Finds or creates the revision of the set's template. An existing one that is not the newest becomes the newest again,
 * as after a rollback.
 */
export async function findRevisions(
  set: Observed<StatefulSet>,
  history: readonly Revision[],
  objects: Objects<ControllerRevision>,
): Promise<SetRevisions> {
  const sorted = history.toSorted(byRevision);
  const data = dataOfTemplate(viewStatefulSet(set).template);
  const revision = nextRevision(sorted);
  const equal = sorted.findLast((each) => isSameData(each.data, data));
  const known = set.status?.collisionCount ?? 0;
  const { update, collisionCount } =
    equal === undefined
      ? await createRevision(set, { data, revision, collisionCount: known }, objects)
      : {
          update: await renumber(equal, equal === sorted.at(-1) ? equal.revision : revision, objects),
          collisionCount: known,
        };
  const current = sorted.find(({ metadata }) => metadata.name === set.status?.currentRevision);
  return {
    current: current?.metadata.uid === update.metadata.uid ? update : (current ?? update),
    update,
    collisionCount,
  };
}

/** The oldest revisions beyond the history limit; never one that the set or a pod uses. */
export function revisionsToRemove(
  history: readonly Revision[],
  { current, update }: SetRevisions,
  { pods, limit }: { readonly pods: readonly Observed<Pod>[]; readonly limit: number },
): readonly Revision[] {
  const live = new Set([current.metadata.name, update.metadata.name, ...pods.map(revisionOfPod)]);
  const past = history.filter(({ metadata }) => !live.has(metadata.name)).toSorted(byRevision);
  return limit < 0 ? [] : past.slice(0, Math.max(0, past.length - limit));
}

async function renumber(found: Revision, revision: number, objects: Objects<ControllerRevision>): Promise<Revision> {
  if (found.revision === revision) return found;
  return objects.patch(keyOf(found), mergePatch({ metadata: { uid: found.metadata.uid }, revision }));
}

interface NewRevision {
  readonly data: RevisionData;
  readonly revision: number;
  readonly collisionCount: number;
}

/** Retries with other hashes while a revision with different data has the name. */
async function createRevision(
  set: Observed<StatefulSet>,
  wanted: NewRevision,
  objects: Objects<ControllerRevision>,
): Promise<Pick<SetRevisions, 'update' | 'collisionCount'>> {
  for (let { collisionCount } = wanted; ; collisionCount++) {
    const sent = newRevision(set, wanted, revisionHash(wanted.data, collisionCount));
    try {
      return { update: await objects.create(sent), collisionCount };
    } catch (error) {
      const found = hasReason(error, 'AlreadyExists') ? await objects.fetch(keyOf(sent)) : undefined;
      if (found === undefined) throw error;
      if (isSameData(found.data, wanted.data)) return { update: found, collisionCount };
    }
  }
}

/** The label keeps the first hash, even if the name has another. */
function newRevision(
  set: Observed<StatefulSet>,
  { data, revision, collisionCount }: NewRevision,
  hash: string,
): Sendable<ControllerRevision> {
  const { name, namespace, template, reference } = viewStatefulSet(set);
  const { annotations } = set.metadata;
  return {
    metadata: {
      name: `${name.slice(0, MAX_PREFIX_LENGTH)}-${hash}`,
      namespace,
      labels: { ...template.metadata?.labels, [HASH]: revisionHash(data, collisionCount) },
      ...(annotations === undefined ? {} : { annotations }),
      ownerReferences: [reference],
    },
    data,
    revision,
  };
}
