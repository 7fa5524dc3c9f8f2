import { type LabelMatcher, matchLabelSelector, ValueError } from '../../api/client.ts';
import { controllerOf, isControlledBy, nextAvailableInMs } from '../../api/meaning/index.ts';
import type { DaemonSet as DaemonSetObject } from '../../api/types/apps/v1.d.ts';
import type { Node as NodeObject, Pod as PodObject } from '../../api/types/core/v1.d.ts';
import { deepEqual } from '../../base/index.ts';
import { ControllerRevision, DaemonSet, keyOf, Node, type Observed, Pod } from '../../client/index.ts';
import {
  type Controller,
  controller,
  podsByNode,
  type ReconcileContext,
  watch,
  type WatchContext,
} from '../../kit/index.ts';
import { claim, concernsOwners, orphansByNamespace, ownerKeys } from '../ownership/index.ts';
import { TemplateHasher } from '../pod-template-hash/index.ts';
import { replaceStatus } from '../replace-status.ts';
import { type DaemonHistory, findHistory, revisionsToRemove } from './daemon-history.ts';
import { daemonStatus } from './daemon-status.ts';
import { execute, planNodes, podsByTarget } from './daemon-sync.ts';
import { type DaemonSetView, viewDaemonSet } from './daemon-view.ts';
import { FailedPodBackoff } from './failed-pod-backoff.ts';
import { type NodeFit, nodeFits } from './node-fit.ts';
import { planRollingUpdate } from './rolling-plan.ts';

const CONCURRENT_SYNCS = 2;

/** What all runs share. */
interface Shared {
  readonly hasher: TemplateHasher;
  readonly backoff: FailedPodBackoff;
}

/** Keeps one pod of each DaemonSet on every eligible node. */
export function daemonSetController(): Controller {
  const shared = { hasher: new TemplateHasher(), backoff: new FailedPodBackoff() };
  const owners = { kind: DaemonSet, selectorOf: ({ spec }: Observed<DaemonSetObject>) => spec?.selector };
  return controller(DaemonSet, {
    name: 'daemonset',
    component: 'daemonset-controller',
    concurrency: CONCURRENT_SYNCS,
    watches: [
      watch(Pod, { to: (pod, context) => ownerKeys(pod, owners, context), when: concernsOwners }),
      watch(ControllerRevision, { to: (each, context) => ownerKeys(each, owners, context), when: concernsOwners }),
      watch(Node, { to: affectedSets, when: concernsDaemons }),
    ],
    reconcile: (set, context) => reconcile(set, shared, context),
  });
}

async function reconcile(set: Observed<DaemonSetObject>, shared: Shared, context: ReconcileContext): Promise<void> {
  if (deepEqual(set.spec?.selector, {})) {
    const message = 'This daemon set is selecting all pods. A non-empty selector is required.';
    context.event({ type: 'Warning', reason: 'SelectingAll', message });
    return;
  }
  if (set.metadata.deletionTimestamp !== undefined) return; // its revisions may be gone, so the status cannot be computed
  const selector = matchLabelSelector(set.spec?.selector);
  if (selector instanceof ValueError)
    throw new Error(`daemon set ${context.key} has invalid label selector: ${selector.message}`);
  const sets = context.objects(DaemonSet);
  const pods = context.objects(Pod);
  const revisions = context.objects(ControllerRevision);
  const { uid, namespace = '' } = set.metadata;
  const request = { owner: set, ownerKind: DaemonSet, owners: sets, selector };
  const someRevisions = [...revisions.list({ controlledBy: uid }), ...revisions.byIndex(orphansByNamespace, namespace)];
  const claimed = await claim(someRevisions, { ...request, kind: ControllerRevision, objects: revisions });
  const somePods = [...pods.list({ controlledBy: uid }), ...pods.byIndex(orphansByNamespace, namespace)];
  const ownPods = await claim(somePods, { ...request, kind: Pod, objects: pods });
  const history = await findHistory(set, { claimed, ownPods }, { revisions, sets, pods, hasher: shared.hasher });

  const view = viewDaemonSet(set);
  const fitOf = nodeFits(view);
  const fits = new Map(
    context
      .objects(Node)
      .list()
      .map((node) => [node.metadata.name, fitOf(node)]),
  );
  try {
    await changePods(ownPods, { view, history, fits, backoff: shared.backoff, context });
  } finally {
    await updateStatus(set, { history, fits, selector }, context);
  }
}

interface SyncParts {
  readonly view: DaemonSetView;
  readonly history: DaemonHistory;
  readonly fits: ReadonlyMap<string, NodeFit>;
  readonly backoff: FailedPodBackoff;
  readonly context: ReconcileContext;
}

/** Fixes the pods of each node first; replaces old pods only when nothing needed fixing. */
async function changePods(ownPods: readonly Observed<PodObject>[], parts: SyncParts): Promise<void> {
  const { view, history, fits, backoff, context } = parts;
  const { hash } = history;
  const nowMs = context.clock.now();
  const byNode = podsByTarget(ownPods);
  const mayRetry = (nodeName: string): boolean => {
    const key = `${view.uid}/${view.status?.observedGeneration ?? 0}/${nodeName}`;
    const delayMs = backoff.delayMs(key, nowMs);
    if (delayMs !== undefined) context.after(delayMs);
    return delayMs === undefined;
  };
  const event: ReconcileContext['event'] = (details) => context.event(details);
  const tools = { set: view, hash, pods: context.objects(Pod), event };
  const plan = planNodes(fits, byNode, { set: view, hash, nowMs, mayRetry, event });
  await execute(plan, tools);
  const isInOrder = plan.create.length + plan.delete.length === 0;
  if (isInOrder && view.isRolling) await execute(planRollingUpdate(view, { fits, pods: byNode, hash, nowMs }), tools);
  const limit = view.revisionHistoryLimit;
  for (const past of revisionsToRemove(history.old, { pods: ownPods, limit }))
    await context.objects(ControllerRevision).delete(keyOf(past));
}

async function updateStatus(
  set: Observed<DaemonSetObject>,
  parts: Pick<SyncParts, 'history' | 'fits'> & { readonly selector: LabelMatcher },
  context: ReconcileContext,
): Promise<void> {
  const view = viewDaemonSet(set);
  const own = context
    .objects(Pod)
    .list({ controlledBy: set.metadata.uid })
    .filter((pod) => isControlledBy(pod, set) && parts.selector.matches(pod.metadata.labels));
  const nowMs = context.clock.now();
  const { fits, history } = parts;
  const status = daemonStatus(view, { fits, pods: podsByTarget(own), hash: history.hash, nowMs });
  if (!deepEqual(status, set.status)) await replaceStatus(set, status, context.objects(DaemonSet));
  // Of two pods on a node only one counts, but the other may become available too.
  const availableInMs = nextAvailableInMs(own, view.minReadySeconds, nowMs);
  if (availableInMs !== undefined) context.after(availableInMs);
}

/** Whether a change of a node can affect a DaemonSet. */
function concernsDaemons(node: Observed<NodeObject>, old: Observed<NodeObject> | undefined): boolean {
  return (
    old === undefined ||
    !deepEqual(node.metadata.labels ?? {}, old.metadata.labels ?? {}) ||
    !deepEqual(node.spec?.taints ?? [], old.spec?.taints ?? [])
  );
}

/** The DaemonSets that need a new pod on the node, must delete one there, or count a misscheduled one. */
function affectedSets(
  { metadata: { name } }: Observed<NodeObject>,
  { objects }: Pick<WatchContext, 'objects'>,
): readonly string[] {
  const node = objects(Node).get(name);
  if (node === undefined) return []; // the pods of a deleted node trigger their own events
  const present = new Set(
    objects(Pod)
      .byIndex(podsByNode, name)
      .map((pod) => controllerOf(pod)?.uid),
  );
  return objects(DaemonSet)
    .list()
    .filter((set) => {
      const { shouldRun, shouldStay } = nodeFits(viewDaemonSet(set))(node);
      if (!present.has(set.metadata.uid)) return shouldRun;
      return !shouldStay || (set.status?.numberMisscheduled ?? 0) > 0;
    })
    .map((set) => keyOf(set));
}
