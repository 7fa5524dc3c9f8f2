import { isAssigned } from '../../api/meaning/index.ts';
import { deepEqual } from '../../base/index.ts';
import { type Handler, type ObjectSelection, type Kind, Node, type Observed, Pod } from '../../client/index.ts';
import type { AppContext } from '../../kit/index.ts';
import { nominatedNode } from '../cache/nominated-pods.ts';
import type { SchedulerCache } from '../cache/scheduler-cache.ts';
import {
  assignedPodAdd,
  assignedPodDelete,
  type ClusterAction,
  type ClusterEvent,
} from '../framework/cluster-event.ts';
import { unschedulable } from '../framework/rejection.ts';
import type { WaitingPods } from '../framework/waiting-pods.ts';
import type { SchedulingQueue } from '../queue/scheduling-queue.ts';
import { podChanges } from './pod-changes.ts';

export interface ClusterWatchParts {
  readonly cache: SchedulerCache;
  readonly queue: SchedulingQueue;
  readonly waitingPods: WaitingPods;
  /** Whether a profile of this scheduler has the name. */
  isOurs(schedulerName: string): boolean;
}

/** Watches nodes, pods and the kinds that plugins use, and updates the cache and the queue. */
export class ClusterWatch {
  readonly #parts: ClusterWatchParts;

  constructor(parts: ClusterWatchParts) {
    this.#parts = parts;
  }

  /** Registers the change handlers with the app. `others` are the kinds that plugins use. */
  listen(context: AppContext, { pods, others }: { pods: ObjectSelection; others: Iterable<Kind> }): void {
    context.onChange(Node, {
      add: (node) => this.#nodeAdded(node),
      update: (node, old) => this.#nodeChanged(old, node),
      delete: (node) => this.#nodeGone(node),
    });
    const podHandler: Handler<Pod> = {
      add: (pod) => this.#podAdded(pod),
      update: (pod, old) => this.#podChanged(old, pod),
      delete: (pod) => this.#podGone(pod),
    };
    context.onChange(Pod, podHandler, pods);
    const { queue } = this.#parts;
    for (const kind of others) {
      const resource = kind.kind;
      context.onChange(kind, {
        add: (now) => queue.moveAll({ resource, action: 'Add' }, { now }),
        update: (now, old) => queue.moveAll({ resource, action: 'Update' }, { old, now }),
        delete: (old) => queue.moveAll({ resource, action: 'Delete' }, { old }),
      });
    }
  }

  #nodeAdded(node: Observed<Node>): void {
    this.#parts.cache.setNode(node);
    this.#parts.queue.moveAll({ resource: 'Node', action: 'Add' }, { now: node });
  }

  #nodeChanged(old: Observed<Node>, now: Observed<Node>): void {
    this.#parts.cache.setNode(now);
    for (const event of nodeChanges(old, now)) this.#parts.queue.moveAll(event, { old, now });
  }

  #nodeGone(node: Observed<Node>): void {
    this.#parts.queue.moveAll({ resource: 'Node', action: 'Delete' }, { old: node });
    this.#parts.cache.removeNode(node.metadata.name);
  }

  #podAdded(pod: Observed<Pod>): void {
    if (isAssigned(pod)) this.#assigned(pod);
    else if (this.#isOurs(pod)) this.#parts.queue.add(pod);
  }

  #podChanged(old: Observed<Pod>, now: Observed<Pod>): void {
    const { cache, queue } = this.#parts;
    if (isAssigned(old)) {
      cache.setPod(now);
      for (const event of podChanges(old, now)) queue.moveAll(event, { old, now });
    } else if (isAssigned(now)) {
      this.#assigned(now);
      queue.delete(now); // the pod is bound, perhaps by another scheduler
    } else if (this.#isOurs(old)) this.#waitingPodChanged(old, now);
  }

  #waitingPodChanged(old: Observed<Pod>, now: Observed<Pod>): void {
    const { cache, queue } = this.#parts;
    if (old.metadata.resourceVersion === now.metadata.resourceVersion) return;
    const isAssumed = cache.isAssumed(now.metadata.uid);
    if (!isAssumed) {
      queue.update(old, now);
      if (nominatedNode(old) !== nominatedNode(now)) this.#nominationGone(old);
    } else if (now.metadata.deletionTimestamp !== undefined && old.metadata.deletionTimestamp === undefined)
      this.#assumedPodGone(now);
  }

  #podGone(pod: Observed<Pod>): void {
    const { cache, queue } = this.#parts;
    queue.delete(pod);
    if (cache.isAssumed(pod.metadata.uid)) this.#assumedPodGone(pod);
    else if (cache.removePod(pod.metadata.uid)) queue.moveAll(assignedPodDelete, { old: pod });
    else this.#nominationGone(pod);
  }

  #assigned(pod: Observed<Pod>): void {
    this.#parts.cache.setPod(pod);
    this.#parts.queue.moveAll(assignedPodAdd, { now: pod });
  }

  /** Retries the pods that may use the room which was held for the nominated pod. */
  #nominationGone(old: Observed<Pod>): void {
    if (nominatedNode(old) === '') return;
    const { priority = 0 } = old.spec ?? {};
    this.#parts.queue.moveAll(assignedPodDelete, { old }, ({ pod }) => pod.priority <= priority);
  }

  /** Frees the room of a deleted pod that was assumed; its binding will fail. */
  #assumedPodGone({ metadata: { uid } }: Observed<Pod>): void {
    const { cache, queue, waitingPods } = this.#parts;
    const assumed = cache.assumedPod(uid);
    if (assumed === undefined) return;
    if (!waitingPods.reject(uid, unschedulable('', 'removed'))) cache.forget(uid);
    queue.moveAll(assignedPodDelete, { old: assumed.pod });
  }

  #isOurs(pod: Observed<Pod>): boolean {
    return this.#parts.isOurs(pod.spec?.schedulerName ?? '');
  }
}

/** The cluster events of a node update, one for each aspect that changed; none for heartbeats. */
function nodeChanges(old: Observed<Node>, now: Observed<Node>): ClusterEvent[] {
  const actions: ClusterAction[] = [];
  if (old.spec?.unschedulable === true && now.spec?.unschedulable !== true) actions.push('UpdateNodeTaint');
  if (!isSame(old.status?.allocatable, now.status?.allocatable)) actions.push('UpdateNodeAllocatable');
  if (!isSame(old.metadata.labels, now.metadata.labels)) actions.push('UpdateNodeLabel');
  if (!isSame(old.spec?.taints, now.spec?.taints)) actions.push('UpdateNodeTaint');
  if (!isSame(conditions(old), conditions(now))) actions.push('UpdateNodeCondition');
  if (!isSame(old.metadata.annotations, now.metadata.annotations)) actions.push('UpdateNodeAnnotation');
  if (!isSame(old.status?.declaredFeatures, now.status?.declaredFeatures)) actions.push('UpdateNodeDeclaredFeature');
  return actions.map((action) => ({ resource: 'Node', action }));
}

/** Condition statuses by type. Times are left out because they change with every heartbeat. */
function conditions({ status }: Observed<Node>): Record<string, string> {
  return Object.fromEntries((status?.conditions ?? []).map(({ type, status: value }) => [type, value]));
}

/** An absent map and an empty one are the same. */
function isSame(left: object | undefined, right: object | undefined): boolean {
  return left === right || deepEqual(left ?? {}, right ?? {}) || (isEmpty(left) && isEmpty(right));
}

function isEmpty(value: object | undefined): boolean {
  return value === undefined || Object.keys(value).length === 0;
}
