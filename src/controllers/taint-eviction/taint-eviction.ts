import { formatTime, instantOfMillis } from '../../api/client.ts';
import { type Counter, deepEqual, type Histogram } from '../../base/index.ts';
import { hasReason, ItemBackoff, keyOf, Node, type Observed, Pod, splitKey } from '../../client/index.ts';
import {
  type AppContext,
  type EventRecorder,
  type KeyedWorkers,
  type Objects,
  type ProgramPart,
  podsByNode,
  type PreparedPart,
  type WorkContext,
} from '../../kit/index.ts';
import { disruptionTarget, podStatusPatch } from '../pod-disruption.ts';
import { toleranceFor } from './tolerations.ts';

const NAME = 'taint-eviction-controller';
const DELETIONS_AT_ONCE = 8;

/** Deletes pods from nodes with NoExecute taints: at once, or when their toleration expires. */
export function taintEvictionController(): ProgramPart {
  return { name: NAME, sleepsWithout: [Pod], prepare: (context) => new TaintEviction(context) };
}

class TaintEviction implements PreparedPart {
  readonly #context: AppContext;
  readonly #events: EventRecorder;
  readonly #pods: Objects<Pod>;
  readonly #nodes: Objects<Node>;
  /** Deletes pods, by key: now, or at their due time. */
  readonly #evictions: KeyedWorkers;
  /** When a delayed eviction was decided, in monotonic milliseconds. */
  readonly #decidedMs = new Map<string, number>();
  /** When evictions are due, in monotonic milliseconds. */
  readonly #dueMs = new Map<string, number>();
  readonly #deletions: Counter;
  readonly #seconds: Histogram;

  constructor(context: AppContext) {
    this.#context = context;
    this.#events = context.events(NAME);
    this.#pods = context.objects(Pod);
    this.#nodes = context.objects(Node);
    this.#evictions = context.workers('noexec_taint_pod', {
      concurrency: DELETIONS_AT_ONCE,
      rateLimiter: new ItemBackoff({ initialDelay: 10, maxDelay: 60_000 }),
      work: (key, work) => this.#evict(key, work),
    });
    const deletions = context.metrics.counter({
      name: 'taint_eviction_controller_pod_deletions_total',
      help: 'Pods deleted because of a taint that they do not tolerate.',
    });
    this.#deletions = deletions.with();
    this.#seconds = context.metrics
      .histogram({
        name: 'taint_eviction_controller_pod_deletion_duration_seconds',
        help: 'Time from when a pod was to be deleted because of a taint to when it was.',
        buckets: [0.005, 0.025, 0.1, 0.5, 1, 2.5, 10, 30, 60, 120, 180, 240],
      })
      .with();
    this.#watchPods();
    this.#watchNodes();
  }

  run(signal: AbortSignal): Promise<void> {
    return this.#evictions.run(signal);
  }

  #watchPods(): void {
    const consider = (pod: Observed<Pod>): void => {
      const node = this.#nodes.get(pod.spec?.nodeName ?? '');
      if (node !== undefined && evictingTaints(node).length > 0) this.#consider(pod, node);
    };
    this.#context.onChange(Pod, {
      add: consider,
      update: (pod, old) => {
        const isSameNode = pod.spec?.nodeName === old.spec?.nodeName;
        if (!isSameNode || !deepEqual(pod.spec?.tolerations, old.spec?.tolerations)) consider(pod);
      },
      delete: (pod) => this.#spare(keyOf(pod)),
    });
  }

  #watchNodes(): void {
    const consider = (node: Observed<Node>): void => {
      for (const pod of this.#pods.byIndex(podsByNode, node.metadata.name)) this.#consider(pod, node);
    };
    this.#context.onChange(Node, {
      add: (node) => {
        if (evictingTaints(node).length > 0) consider(node);
      },
      update: (node, old) => {
        if (!deepEqual(evictingTaints(node), evictingTaints(old))) consider(node);
      },
    });
  }

  /** Schedules the pod's eviction. A due time stays, as long as the taints are tolerated for a limited time. */
  #consider(pod: Observed<Pod>, node: Observed<Node>): void {
    const key = keyOf(pod);
    const tolerance = toleranceFor(evictingTaints(node), pod.spec?.tolerations ?? []);
    if (tolerance.type === 'none') {
      this.#spare(key);
      this.#due(key, 0);
      this.#evictions.add(key);
    } else if (tolerance.type === 'ever') {
      this.#spare(key);
    } else {
      const nowMs = this.#context.clock.monotonic();
      if ((this.#decidedMs.get(key) ?? nowMs) < nowMs) return;
      if (this.#decidedMs.has(key)) this.#evictions.cancelDelayed(key);
      this.#decidedMs.set(key, nowMs);
      this.#due(key, tolerance.ms);
      this.#evictions.addAfter(key, tolerance.ms);
    }
  }

  #due(key: string, ms: number): void {
    this.#dueMs.set(key, this.#context.clock.monotonic() + ms);
  }

  #spare(key: string): void {
    this.#dueMs.delete(key);
    if (!this.#decidedMs.delete(key)) return;
    this.#evictions.cancelDelayed(key);
    this.#report(key, `Cancelling deletion of Pod ${key}`);
  }

  async #evict(key: string, { failures }: WorkContext): Promise<void> {
    this.#decidedMs.delete(key);
    const dueMs = this.#dueMs.get(key);
    if (failures === 0) this.#report(key, `Marking for deletion Pod ${key}`);
    try {
      const pod = await this.#pods.fetch(key);
      if (pod === undefined) return;
      const condition = disruptionTarget(pod, {
        reason: 'DeletionByTaintManager',
        message: 'Taint manager: deleting due to NoExecute taint',
        now: formatTime(instantOfMillis(this.#context.clock.now())),
      });
      if (condition !== undefined) await this.#pods.patchStatus(key, podStatusPatch(pod, { conditions: [condition] }));
      await this.#pods.delete(key, { preconditions: { uid: pod.metadata.uid } });
      this.#deletions.add();
      if (dueMs !== undefined) this.#seconds.observe((this.#context.clock.monotonic() - dueMs) / 1000);
    } catch (error) {
      if (!hasReason(error, 'NotFound')) throw error;
    }
  }

  #report(key: string, message: string): void {
    const { namespace, name } = splitKey(key);
    const subject = { kind: 'Pod', apiVersion: 'v1', metadata: { name, namespace } };
    this.#events.event(subject, { reason: 'TaintManagerEviction', message });
  }
}

function evictingTaints({ spec }: Observed<Node>): NonNullable<NonNullable<Observed<Node>['spec']>['taints']> {
  return (spec?.taints ?? []).filter(({ effect }) => effect === 'NoExecute');
}
