import { isAvailable, isFinished } from '../../api/meaning/index.ts';
import type { Pod, PodTemplateSpec } from '../../api/types/core/v1.d.ts';
import type { DeepReadonly } from '../../base/index.ts';
import type { Observed } from '../../client/index.ts';
import { slowStart } from '../replicaset/index.ts';
import { templateOfData } from '../revisions/index.ts';
import { isWanted, ordinalsInSight, placeOf } from './ordinals.ts';
import type { PodActions } from './pod-actions.ts';
import type { SetRevisions } from './set-revisions.ts';
import { countPods, isRunningAndReady, type PodCounts } from './set-status.ts';
import type { StatefulSetView } from './set-view.ts';
import { newStatefulPod, revisionOfPod } from './stateful-pod.ts';

/** Maximum number of concurrent requests with parallel pod management, and of pods created per run. */
const MAX_BATCH = 500;

/** An ordinal, and its pod if there is one. */
interface Replica {
  readonly ordinal: number;
  readonly pod: Observed<Pod> | undefined;
}

type Occupied = Replica & { readonly pod: Observed<Pod> };

/** Whether the run may continue with the next pod. */
type Step = 'go on' | 'wait';

export interface SetSyncParts {
  readonly actions: Pick<PodActions, keyof PodActions>;
  readonly revisions: SetRevisions;
  /** Whether maxUnavailable applies: a feature gate that is off by default in Kubernetes 1.36. */
  readonly obeysMaxUnavailable: boolean;
  readonly nowMs: number;
}

/** The pods at the end of a run, and the error that ended it early, if any. */
export interface SyncOutcome {
  readonly counts: PodCounts;
  readonly failure: unknown;
}

/** One run over the pods of a set: creates missing pods in order, deletes surplus ones, then replaces outdated ones. */
export class SetSync {
  readonly #set: StatefulSetView;
  readonly #parts: SetSyncParts;
  readonly #pods: readonly Observed<Pod>[];
  readonly #replicas: readonly Replica[];
  /** Surplus pods, highest ordinal first. */
  readonly #condemned: readonly Occupied[];

  constructor(set: StatefulSetView, pods: readonly Observed<Pod>[], parts: SetSyncParts) {
    this.#set = set;
    this.#parts = parts;
    this.#pods = pods;
    const placed = pods.map((pod) => ({ pod, ordinal: placeOf(pod.metadata.name)?.ordinal ?? -1 }));
    const byOrdinal = new Map(placed.map(({ pod, ordinal }) => [ordinal, pod]));
    this.#replicas = ordinalsInSight(set, byOrdinal).map((ordinal) => ({ ordinal, pod: byOrdinal.get(ordinal) }));
    this.#condemned = placed
      .filter(({ ordinal }) => ordinal >= 0 && !isWanted(set, ordinal))
      .toSorted((left, right) => right.ordinal - left.ordinal);
  }

  async run(): Promise<SyncOutcome> {
    if (this.#set.isDeleted) return { counts: this.#count(this.#pods), failure: undefined };
    const present = [...this.#replicas, ...this.#condemned].flatMap(({ pod }) => pod ?? []);
    const counts = this.#count(present);
    try {
      const replaced = (await this.#fillAndEmpty()) === 'go on' && this.#set.isRolling ? await this.#replace() : 0;
      return { counts: { ...counts, currentReplicas: counts.currentReplicas - replaced }, failure: undefined };
    } catch (failure) {
      return { counts, failure };
    }
  }

  async #fillAndEmpty(): Promise<Step> {
    const { actions } = this.#parts;
    if ((await this.#forEach(this.#replicas, (replica) => this.#fill(replica))) === 'wait') return 'wait';
    await this.#forEach(this.#condemned, async ({ pod, ordinal }) => {
      await actions.releaseClaims(pod, ordinal);
      return 'go on';
    });
    const firstUnavailable = this.#firstUnavailable();
    return this.#forEach(this.#condemned, (condemned) => this.#empty(condemned, firstUnavailable));
  }

  /** Brings one replica into its desired state. */
  async #fill(replica: Replica): Promise<Step> {
    const { isOrdered } = this.#set;
    const { actions } = this.#parts;
    const { pod, ordinal } = replica;
    if (pod === undefined) return this.#fillEmpty(ordinal);
    const isTerminating = pod.metadata.deletionTimestamp !== undefined;
    if (isFinished(pod)) {
      if (!isTerminating) await actions.delete(pod);
      return 'wait'; // recreated after it is gone
    }
    if (pod.status?.phase === 'Pending') await actions.createMissingClaims(pod, ordinal);
    if (isOrdered && (isTerminating || !isRunningAndReady(pod) || !this.#isAvailable(pod))) return 'wait';
    await actions.repair(pod, ordinal);
    return 'go on';
  }

  async #fillEmpty(ordinal: number): Promise<Step> {
    const { actions, revisions } = this.#parts;
    if (actions.hasStaleClaim(ordinal)) return 'wait';
    const revision = this.#isKept(ordinal) ? revisions.current : revisions.update;
    const template: DeepReadonly<PodTemplateSpec> | undefined = templateOfData(revision.data);
    await actions.create(newStatefulPod(this.#set, ordinal, { template, revision: revision.metadata.name }), ordinal);
    return this.#set.isOrdered ? 'wait' : 'go on';
  }

  /** Whether a new pod with this ordinal is created from the current revision, not from the update revision. */
  #isKept(ordinal: number): boolean {
    const { start, partition, isRolling, status } = this.#set;
    return partition === undefined
      ? isRolling && ordinal < start + (status.currentReplicas ?? 0)
      : ordinal < start + partition;
  }

  /** Deletes a surplus pod, unless it must wait for others. */
  async #empty({ pod }: Occupied, firstUnavailable: Observed<Pod> | undefined): Promise<Step> {
    const { isOrdered } = this.#set;
    if (pod.metadata.deletionTimestamp !== undefined) return isOrdered ? 'wait' : 'go on';
    const isPodAvailable = isRunningAndReady(pod) && this.#isAvailable(pod);
    if (isOrdered && !isPodAvailable && pod !== firstUnavailable) return 'wait';
    await this.#parts.actions.delete(pod);
    return 'wait';
  }

  /** The first unavailable pod by ordinal; among surplus ones the lowest ordinal. */
  #firstUnavailable(): Observed<Pod> | undefined {
    const inOrder = [...this.#replicas, ...this.#condemned.toReversed()];
    return inOrder.find(({ pod }) => this.#isUnavailable(pod))?.pod;
  }

  /** Deletes outdated pods, highest ordinal first, within maxUnavailable; returns how many. */
  async #replace(): Promise<number> {
    const { obeysMaxUnavailable } = this.#parts;
    const { start, partition = 0, replicas } = this.#set;
    if (this.#replicas.length < replicas) return 0; // most pods are not created yet
    const candidates = this.#replicas.filter(({ ordinal }) => ordinal >= start + partition).toReversed();
    return obeysMaxUnavailable ? this.#replaceSeveral(candidates) : this.#replaceOne(candidates);
  }

  async #replaceOne(candidates: readonly Replica[]): Promise<number> {
    for (const { pod } of candidates) {
      if (pod !== undefined && this.#isOld(pod)) {
        await this.#parts.actions.delete(pod);
        return 1;
      }
      if (this.#isUnavailable(pod)) return 0;
    }
    return 0;
  }

  async #replaceSeveral(candidates: readonly Replica[]): Promise<number> {
    const missing = this.#replicas.filter(({ pod }) => this.#isUnavailable(pod)).length;
    const old = candidates.flatMap(({ pod }) => (pod !== undefined && this.#isOld(pod) ? [pod] : []));
    const chosen = old.slice(0, Math.max(0, this.#set.maxUnavailable - missing));
    for (const pod of chosen) await this.#parts.actions.delete(pod);
    return chosen.length;
  }

  #isOld(pod: Observed<Pod>): boolean {
    const { update } = this.#parts.revisions;
    return revisionOfPod(pod) !== update.metadata.name && pod.metadata.deletionTimestamp === undefined;
  }

  #isAvailable(pod: Observed<Pod>): boolean {
    return isAvailable(pod, this.#set.minReadySeconds, this.#parts.nowMs);
  }

  #isUnavailable(pod: Observed<Pod> | undefined): boolean {
    return pod === undefined || pod.metadata.deletionTimestamp !== undefined || !this.#isAvailable(pod);
  }

  #count(pods: readonly Observed<Pod>[]): PodCounts {
    const { revisions, nowMs } = this.#parts;
    const names = { current: revisions.current.metadata.name, update: revisions.update.metadata.name };
    return countPods(pods, names, { minReadySeconds: this.#set.minReadySeconds, nowMs });
  }

  /** Processes the items in order until one must wait, or in growing batches with parallel pod management. */
  async #forEach<T>(items: readonly T[], step: (item: T) => Promise<Step>): Promise<Step> {
    if (this.#set.isOrdered) {
      for (const item of items) if ((await step(item)) === 'wait') return 'wait';
      return 'go on';
    }
    const attempt = async (index: number): Promise<void> => {
      const item = items[index];
      if (item !== undefined) await step(item);
    };
    const { failure } = await slowStart(items.length, attempt, { maxBatch: MAX_BATCH });
    if (failure !== undefined) throw failure;
    return 'go on';
  }
}
