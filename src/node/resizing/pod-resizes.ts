import type { Clock, Logger } from '../../base/index.ts';
import { podRequests, qosClassOf } from '../../api/meaning/index.ts';
import { keyOf, type Observed, type Pod } from '../../client/index.ts';
import type { EventDetails } from '../../kit/index.ts';
import type { Machine, NodeResources, Refusal } from '../backend/index.ts';
import type { AgentMetrics } from '../agent-metrics.ts';
import type { Family } from '../backend/metric-family.ts';
import { canSwap, DEFAULT_RULES } from '../config/index.ts';
import type { ActuatedResources, PendingResize, ResizeProgress, ResizeState } from '../life/index.ts';
import {
  amountOf,
  differsIn,
  isSatisfied,
  type PodAllocation,
  RESIZABLE,
  type ResourceNeeds,
  wantedBy,
  withAllocation,
} from './allocation.ts';
import { AllocationCheckpoint } from './allocation-checkpoint.ts';
import { reportedActuation, reportedAllocation, reportedConditions } from './reported-resize.ts';
import { planResize, type ResizePlan, type RunningContainer } from './resize-plan.ts';
import { resizeEvents } from './resize-messages.ts';

export interface PodResizesParts {
  readonly clock: Clock;
  readonly log: Logger;
  readonly machine: Machine;
  readonly resources: NodeResources;
  readonly metrics: AgentMetrics;
  /** A pod of the node, as the API has it. */
  pod(uid: string): Observed<Pod> | undefined;
  /** Reserves what the pod's spec asks for, in place of what was reserved for it, or returns why the node cannot. */
  reserve(pod: Observed<Pod>): Refusal | undefined;
  event(pod: Observed<Pod>, details: EventDetails): void;
  /** Schedules a look at the pod. */
  wake(key: string): void;
  /** Schedules a call of `retry`. */
  plan(afterMs: number): void;
}

interface Entry {
  allocation: PodAllocation;
  /** The generation of the pod that was last compared with the allocation. */
  generation: number;
  pending: PendingResize | undefined;
  progress: ResizeProgress | undefined;
  actuated: ActuatedResources | undefined;
}

/** Interval at which deferred resizes are tried again even if nothing has changed. */
const RETRY_MS = 180_000;
/** Number of allocations that are shared between pods with the same resources; a new set begins when it is full. */
const MAX_SHARED = 1000;

/**
 * The resources that a node has allocated to its pods, and resizes of them (KEP-1287): a pod runs with what is allocated, and the
 * allocation becomes what the spec asks for as soon as the node has room for it.
 */
export class PodResizes {
  readonly #parts: PodResizesParts;
  readonly #entries = new Map<string, Entry>();
  readonly #pending = new Set<string>();
  /** Why deferred resizes are tried next, as metrics name it. */
  #trigger = 'periodic_retry';
  readonly #checkpoint: AllocationCheckpoint | undefined;
  #shared = new Map<string, PodAllocation>();
  /** Allocations of an earlier run of the agent; undefined until they are read. */
  #restored: Promise<ReadonlyMap<string, PodAllocation>> | undefined;

  /** The write that waits for the one under way. */
  #nextWrite: Promise<void> | undefined;
  #lastWrite: Promise<void> = Promise.resolve();

  constructor(parts: PodResizesParts) {
    this.#parts = parts;
    const { checkpoints } = parts.resources;
    this.#checkpoint = checkpoints === undefined ? undefined : new AllocationCheckpoint(checkpoints);
  }

  /** The pod with the resources that an earlier run of the agent allocated to it, which count for its admission. */
  async restored(pod: Observed<Pod>): Promise<Observed<Pod>> {
    const allocation = (await this.#restore()).get(pod.metadata.uid) ?? reportedAllocation(pod);
    return withAllocation(pod, allocation);
  }

  /** The node has admitted a pod with the resources in `allocated`. */
  async admitted(pod: Observed<Pod>, allocated: Observed<Pod>): Promise<void> {
    const allocation = this.#share(wantedBy(allocated));
    const { pending, progress } = reportedConditions(pod);
    this.#entries.set(pod.metadata.uid, {
      allocation,
      // a pod whose spec asks for something else is compared at the next check
      generation: pod === allocated ? (pod.metadata.generation ?? 0) : -1,
      pending: pod === allocated ? undefined : pending,
      progress,
      actuated: reportedActuation(allocated),
    });
    await this.#parts.resources.allocated(allocated);
    await this.#store();
  }

  /** The pod with its allocated resources. A resize in its spec is tried when it is new. */
  async allocated(pod: Observed<Pod>): Promise<Observed<Pod>> {
    const entry = this.#entries.get(pod.metadata.uid);
    if (entry === undefined) return pod;
    const { generation = 0, deletionTimestamp } = pod.metadata;
    if (entry.generation !== generation && deletionTimestamp === undefined) {
      entry.generation = generation;
      if (isSatisfied(pod, entry.allocation)) {
        this.#forgetPending(pod.metadata.uid, entry);
      } else {
        for (const labels of requestedResizes(pod, entry.allocation))
          this.#parts.metrics.add('kubelet_container_requested_resizes_total', { ...labels });
        this.#pending.add(pod.metadata.uid);
        await this.retry('pod_updated');
      }
    }
    return withAllocation(pod, entry.allocation);
  }

  /** What of the pod's resizes belongs into its status; undefined for pods that were never resized. */
  stateOf(uid: string): ResizeState | undefined {
    const entry = this.#entries.get(uid);
    if (entry === undefined) return undefined;
    const { pending, progress, actuated } = entry;
    return pending === undefined && progress === undefined && actuated === undefined ? undefined : entry;
  }

  /** What is left to do for a running pod. Notes when a resize begins and when it is completed. */
  progress(pod: Observed<Pod>, running: readonly RunningContainer[]): ResizePlan | undefined {
    const entry = this.#entries.get(pod.metadata.uid);
    if (entry === undefined) return undefined;
    const plan = planResize(pod, entry.actuated, running);
    if (plan !== undefined) {
      entry.progress ??= this.#begun(pod.metadata.generation ?? 0);
    } else {
      entry.actuated = undefined;
      if (entry.progress !== undefined) {
        this.#parts.event(pod, resizeEvents.completed(pod, entry.progress.generation));
        entry.progress = undefined;
        this.#retrySoon('pod_resized'); // the pod may have shrunk
      }
    }
    return plan;
  }

  /** A container, or the pod itself, has its allocated amount of a resource now. */
  actuated(
    pod: Observed<Pod>,
    change: { readonly container: string | undefined; readonly resource: 'cpu' | 'memory' },
  ): void {
    const entry = this.#entries.get(pod.metadata.uid);
    if (entry?.actuated === undefined) return;
    const { containers, pod: ofPod } = entry.actuated;
    const wanted = wantedBy(pod);
    const { container, resource } = change;
    if (container === undefined) {
      entry.actuated = { containers, pod: wanted.pod === undefined ? undefined : taken(resource, wanted.pod, ofPod) };
    } else {
      const now = taken(resource, wanted.containers.get(container) ?? {}, containers.get(container));
      entry.actuated = { containers: new Map(containers).set(container, now), pod: ofPod };
    }
  }

  /** A container was started with what is allocated. */
  started(pod: Observed<Pod>, container: string): void {
    for (const resource of ['cpu', 'memory'] as const) this.actuated(pod, { container, resource });
  }

  failed(pod: Observed<Pod>, message: string): void {
    const entry = this.#entries.get(pod.metadata.uid);
    if (entry === undefined) return;
    const before = entry.progress;
    const generation = before?.generation ?? pod.metadata.generation ?? 0;
    if (before?.error === message) return;
    const sinceMs = before?.error === undefined ? this.#parts.clock.now() : before.sinceMs;
    entry.progress = { error: message, generation, sinceMs };
    this.#parts.event(pod, resizeEvents.failed(pod, generation, message));
  }

  /** The pod has ended or is gone: deferred resizes of others may have room now. */
  async released(uid: string): Promise<void> {
    if (!this.#entries.delete(uid)) return;
    this.#pending.delete(uid);
    this.#retrySoon('pods_removed');
    await this.#parts.resources.released(uid);
    await this.#store();
  }

  /** How many resizes wait, by reason, and how many are under way. Nodes that never resized a pod have no such metrics. */
  families(): readonly Family[] {
    const entries = [...this.#entries.values()];
    const progressing = entries.filter(({ progress }) => progress !== undefined).length;
    const waiting = new Map<string, number>();
    for (const { pending } of entries)
      if (pending !== undefined) waiting.set(pending.reason, (waiting.get(pending.reason) ?? 0) + 1);
    return [
      {
        name: 'kubelet_pod_in_progress_resizes',
        type: 'gauge',
        help: 'Resizes that are under way.',
        samples: [{ value: progressing }],
      },
      {
        name: 'kubelet_pod_pending_resizes',
        type: 'gauge',
        help: 'Resizes that wait, by reason.',
        samples: [...waiting].map(([reason, value]) => ({ labels: { reason: reason.toLowerCase() }, value })),
      },
    ];
  }

  /** Tries all deferred resizes, those with the best claim first. */
  async retry(trigger = this.#trigger): Promise<void> {
    this.#trigger = 'periodic_retry';
    const candidates = [...this.#pending].flatMap((uid) => {
      const [pod, entry] = [this.#parts.pod(uid), this.#entries.get(uid)];
      return pod === undefined || entry === undefined ? [] : [{ pod, entry }];
    });
    for (const { pod, entry } of candidates.toSorted(byClaim)) {
      const before = entry.pending;
      await this.#attempt(pod, entry);
      if (before?.reason === 'Deferred' && entry.pending === undefined)
        this.#parts.metrics.add('kubelet_pod_deferred_accepted_resizes_total', { retry_trigger: trigger });
      if (entry.pending !== before) this.#parts.wake(keyOf(pod));
    }
    if (this.#pending.size > 0) this.#parts.plan(RETRY_MS);
  }

  async #attempt(pod: Observed<Pod>, entry: Entry): Promise<void> {
    const { uid, generation = 0 } = pod.metadata;
    if (isSatisfied(pod, entry.allocation)) return this.#forgetPending(uid, entry);
    const infeasible = this.#whyInfeasible(pod, entry);
    if (infeasible !== undefined)
      this.#parts.metrics.add('kubelet_pod_infeasible_resizes_total', { reason_detail: infeasible.detail });
    const refusal =
      infeasible === undefined ? this.#parts.reserve(pod) : { reason: 'Infeasible', message: infeasible.message };
    if (refusal !== undefined) return this.#defer(pod, entry, refusal);
    const before = entry.allocation;
    entry.allocation = this.#share(wantedBy(pod));
    entry.actuated ??= before;
    this.#forgetPending(uid, entry);
    entry.progress = this.#begun(generation);
    this.#parts.event(pod, resizeEvents.started(pod));
    await this.#store();
    await this.#parts.resources.allocated(pod);
    this.#parts.wake(keyOf(pod));
  }

  #defer(pod: Observed<Pod>, entry: Entry, refusal: Refusal): void {
    const { uid, generation = 0 } = pod.metadata;
    const reason = refusal.reason === 'Infeasible' ? 'Infeasible' : 'Deferred';
    const { pending } = entry;
    const isNew = pending?.reason !== reason || pending.generation !== generation;
    if (isNew || pending.message !== refusal.message) {
      const sinceMs = pending?.reason === reason ? pending.sinceMs : this.#parts.clock.now();
      entry.pending = { reason, message: refusal.message, generation, sinceMs };
    }
    if (reason === 'Infeasible') this.#pending.delete(uid);
    if (isNew) this.#parts.event(pod, resizeEvents.pending(pod, refusal.reason, refusal.message));
  }

  /** Why the resize can never be carried out on this node. */
  #whyInfeasible(
    pod: Observed<Pod>,
    { allocation }: Entry,
  ): { readonly message: string; readonly detail: string } | undefined {
    const { machine, resources } = this.#parts;
    const before = withAllocation(pod, allocation);
    const rules = machine.resourceRules ?? DEFAULT_RULES;
    const pairs = [...(pod.spec?.containers ?? []), ...(pod.spec?.initContainers ?? [])].map((wanted) => ({
      wanted,
      given: { ...wanted, resources: allocation.containers.get(wanted.name) ?? {} },
    }));
    for (const { wanted, given } of pairs) {
      const isRestarted = wanted.resizePolicy?.some(
        ({ resourceName, restartPolicy }) => resourceName === 'memory' && restartPolicy === 'RestartContainer',
      );
      const request = (needs: ResourceNeeds | undefined): ResourceNeeds => ({ requests: needs?.requests ?? {} });
      if (isRestarted === true || !differsIn('memory', request(wanted.resources), request(given.resources))) continue;
      if (canSwap(pod, wanted, rules) || canSwap(before, given, rules))
        return { message: 'In-place resize of containers with swap is not supported.', detail: 'swap_limitation' };
    }
    if (qosClassOf(pod) !== 'Guaranteed') return undefined;
    const isChanged = (resource: 'cpu' | 'memory'): boolean =>
      pairs.some(({ wanted, given }) => differsIn(resource, wanted.resources, given.resources));
    const changed = { cpu: isChanged('cpu'), memory: isChanged('memory') };
    const message = resources.refuseResize(pod, changed);
    if (message === undefined) return undefined;
    const manager = resources.refuseResize(pod, { ...changed, memory: false }) === undefined ? 'memory' : 'cpu';
    return { message, detail: `guaranteed_pod_${manager}_manager_static_policy` };
  }

  #retrySoon(trigger: string): void {
    if (this.#pending.size === 0) return;
    this.#trigger = trigger;
    this.#parts.plan(0);
  }

  #begun(generation: number): ResizeProgress {
    return { error: undefined, generation, sinceMs: this.#parts.clock.now() };
  }

  #forgetPending(uid: string, entry: Entry): void {
    this.#pending.delete(uid);
    entry.pending = undefined;
  }

  /** Pods of one workload share their allocation, to save memory. */
  #share(allocation: PodAllocation): PodAllocation {
    const key = JSON.stringify([[...allocation.containers], allocation.pod]);
    const known = this.#shared.get(key);
    if (known !== undefined) return known;
    if (this.#shared.size >= MAX_SHARED) this.#shared = new Map();
    this.#shared.set(key, allocation);
    return allocation;
  }

  async #restore(): Promise<ReadonlyMap<string, PodAllocation>> {
    this.#restored ??= this.#checkpoint?.read() ?? Promise.resolve(new Map());
    return this.#restored;
  }

  /** Resolves when a write that began after the call is done: pods that are admitted at the same time share one. */
  async #store(): Promise<void> {
    const checkpoint = this.#checkpoint;
    if (checkpoint === undefined) return;
    this.#nextWrite ??= this.#lastWrite.then(() => {
      this.#nextWrite = undefined;
      return this.#write(checkpoint);
    });
    this.#lastWrite = this.#nextWrite;
    await this.#nextWrite;
  }

  async #write(checkpoint: AllocationCheckpoint): Promise<void> {
    const restored = await this.#restore();
    const all = new Map<string, PodAllocation>();
    // pods of an earlier run stay until the agent has seen them
    for (const [uid, allocation] of restored) if (this.#parts.pod(uid) !== undefined) all.set(uid, allocation);
    for (const [uid, { allocation }] of this.#entries) all.set(uid, allocation);
    try {
      await checkpoint.write(all);
    } catch (error) {
      this.#parts.log.warn('allocated resources are not stored', { error });
    }
  }
}

interface RequestedResize {
  readonly resource: 'cpu' | 'memory';
  readonly requirement: 'requests' | 'limits';
  readonly operation: 'add' | 'decrease' | 'increase' | 'remove';
}

/** What a pod's spec asks its containers to be given, in place of what they have. */
function requestedResizes(pod: Observed<Pod>, { containers }: PodAllocation): readonly RequestedResize[] {
  return [...wantedBy(pod).containers].flatMap(([name, wanted]) =>
    RESIZABLE.flatMap((resource) =>
      (['requests', 'limits'] as const).flatMap((requirement): RequestedResize[] => {
        const [before, after] = [containers.get(name), wanted].map((each) => amountOf(each?.[requirement], resource));
        const operation = operationOf(before ?? 0, after ?? 0);
        return operation === undefined ? [] : [{ resource, requirement, operation }];
      }),
    ),
  );
}

function operationOf(before: number, after: number): RequestedResize['operation'] | undefined {
  if (before === after) return undefined;
  if (before === 0) return 'add';
  if (after === 0) return 'remove';
  return after > before ? 'increase' : 'decrease';
}

interface Candidate {
  readonly pod: Observed<Pod>;
  readonly entry: Entry;
}

/** Resizes that request no more go first, then by priority, by QoS class, and by how long they wait. */
function byClaim(left: Candidate, right: Candidate): number {
  const growth = Number(isGrowing(left)) - Number(isGrowing(right));
  if (growth !== 0) return growth;
  const priority = (right.pod.spec?.priority ?? 0) - (left.pod.spec?.priority ?? 0);
  if (priority !== 0) return priority;
  const rank = ({ pod }: Candidate): number => (qosClassOf(pod) === 'Guaranteed' ? 0 : 1);
  if (rank(left) !== rank(right)) return rank(left) - rank(right);
  return (left.entry.pending?.sinceMs ?? Infinity) - (right.entry.pending?.sinceMs ?? Infinity);
}

function isGrowing({ pod, entry }: Candidate): boolean {
  const before = podRequests({ spec: withAllocation(pod, entry.allocation).spec });
  const after = podRequests({ spec: pod.spec });
  return (['cpu', 'memory'] as const).some((name) => {
    const [was, becomes] = [before.get(name), after.get(name)];
    return becomes !== undefined && becomes.sign > 0 && (was === undefined || becomes.compare(was) > 0);
  });
}

/** One resource of `wanted`, and the rest of what was in force. */
function taken(resource: 'cpu' | 'memory', wanted: ResourceNeeds, before: ResourceNeeds | undefined): ResourceNeeds {
  const mixed = (list: 'requests' | 'limits'): Record<string, string> => {
    const { [resource]: _old, ...rest } = before?.[list] ?? {};
    const amount = wanted[list]?.[resource];
    return amount === undefined ? rest : { ...rest, [resource]: amount };
  };
  return { ...wanted, requests: mixed('requests'), limits: mixed('limits') };
}
