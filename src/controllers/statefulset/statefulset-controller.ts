import { LabelMatcher, matchLabelSelector, ValueError } from '../../api/client.ts';
import { nextAvailableInMs } from '../../api/meaning/index.ts';
import type { StatefulSet as StatefulSetObject } from '../../api/types/apps/v1.d.ts';
import type { Pod as PodObject } from '../../api/types/core/v1.d.ts';
import {
  ControllerRevision,
  keyOf,
  type Observed,
  PersistentVolumeClaim,
  Pod,
  StatefulSet,
} from '../../client/index.ts';
import { type Controller, controller, type ReconcileContext, watch } from '../../kit/index.ts';
import { claim, concernsOwners, orphansByNamespace, ownerKeys } from '../ownership/index.ts';
import { replaceStatus } from '../replace-status.ts';
import type { Revision } from '../revisions/index.ts';
import { placeOf } from './ordinals.ts';
import { PodActions } from './pod-actions.ts';
import { findRevisions, revisionsToRemove } from './set-revisions.ts';
import { hasRelevantChange, setStatus } from './set-status.ts';
import { SetSync } from './set-sync.ts';
import { viewStatefulSet } from './set-view.ts';

const CONCURRENT_SYNCS = 5;
const NOTHING = new LabelMatcher([], { matchesNothing: true });

export interface StatefulSetOptions {
  /** Whether `maxUnavailable` applies, a feature gate that is off by default in Kubernetes 1.36; default false. */
  readonly obeysMaxUnavailable?: boolean;
}

/** Runs the ordered pods of each StatefulSet with their claims, and rolls out its template pod by pod. */
export function statefulSetController(options: StatefulSetOptions = {}): Controller {
  const { obeysMaxUnavailable = false } = options;
  const owners = { kind: StatefulSet, selectorOf: ({ spec }: Observed<StatefulSetObject>) => spec?.selector };
  return controller(StatefulSet, {
    name: 'statefulset',
    component: 'statefulset-controller',
    concurrency: CONCURRENT_SYNCS,
    reads: [ControllerRevision, PersistentVolumeClaim],
    watches: [watch(Pod, { to: (pod, context) => ownerKeys(pod, owners, context), when: concernsOwners })],
    reconcile: (set, context) => reconcile(set, { obeysMaxUnavailable }, context),
  });
}

async function reconcile(
  set: Observed<StatefulSetObject>,
  { obeysMaxUnavailable }: Required<StatefulSetOptions>,
  context: ReconcileContext,
): Promise<void> {
  const selector = matchLabelSelector(set.spec?.selector);
  if (selector instanceof ValueError) {
    context.log.warn('selector is invalid', { key: context.key, problem: selector.message });
    return;
  }
  const view = viewStatefulSet(set);
  const sets = context.objects(StatefulSet);
  const history = await claimHistory(set, selector, context);
  const pods = await claimPods(set, selector, context);
  const nowMs = context.clock.now();
  const objects = context.objects(ControllerRevision);
  const revisions = await findRevisions(set, history, objects);
  const actions = new PodActions(view, context);
  const { counts, failure } = await new SetSync(view, pods, { actions, revisions, obeysMaxUnavailable, nowMs }).run();

  const names = { current: revisions.current.metadata.name, update: revisions.update.metadata.name };
  const status = setStatus(view, counts, { names, collisionCount: revisions.collisionCount });
  if (hasRelevantChange(status, view.status)) await replaceStatus(set, status, sets);
  for (const past of revisionsToRemove(history, revisions, { pods, limit: view.revisionHistoryLimit }))
    await objects.delete(keyOf(past));
  if (failure !== undefined) throw failure;
  if (view.minReadySeconds > 0 && counts.readyReplicas !== counts.availableReplicas)
    context.after(nextAvailableInMs(pods, view.minReadySeconds, nowMs) ?? view.minReadySeconds * 1000);
}

/** The revisions of the set: its own and orphans, which it adopts. */
async function claimHistory(
  set: Observed<StatefulSetObject>,
  selector: LabelMatcher,
  context: ReconcileContext,
): Promise<readonly Revision[]> {
  const objects = context.objects(ControllerRevision);
  const { uid, namespace = '' } = set.metadata;
  const own = objects.list({ controlledBy: uid }).filter(({ metadata }) => selector.matches(metadata.labels));
  const orphans = objects.byIndex(orphansByNamespace, namespace);
  const owners = context.objects(StatefulSet);
  const request = { owner: set, ownerKind: StatefulSet, owners, selector, kind: ControllerRevision, objects };
  return [...own, ...(await claim(orphans, request))];
}

/** The pods of the set. A pod whose name does not belong to the set never does, whatever its labels are. */
async function claimPods(
  set: Observed<StatefulSetObject>,
  selector: LabelMatcher,
  context: ReconcileContext,
): Promise<readonly Observed<PodObject>[]> {
  const objects = context.objects(Pod);
  const { uid, name, namespace = '' } = set.metadata;
  const isMember = ({ metadata }: Observed<PodObject>): boolean => placeOf(metadata.name)?.parent === name;
  const own = objects.list({ controlledBy: uid });
  const orphans = objects.byIndex(orphansByNamespace, namespace).filter(isMember);
  const request = { owner: set, ownerKind: StatefulSet, owners: context.objects(StatefulSet), kind: Pod, objects };
  const unmatched = own.filter((pod) => !isMember(pod));
  await claim(unmatched, { ...request, selector: NOTHING }); // releases them
  return claim([...own.filter(isMember), ...orphans], { ...request, selector });
}
