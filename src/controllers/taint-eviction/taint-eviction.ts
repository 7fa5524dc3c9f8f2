import { formatTime, instantOfMillis } from '../../api/client.ts';
import { deepEqual, type Logger } from '../../base/index.ts';
import {
  type HandlerRegistration,
  hasReason,
  ItemBackoff,
  keyOf,
  Node,
  type Observed,
  Pod,
  splitKey,
  WorkQueue,
} from '../../client/index.ts';
import type { AppContext, EventRecorder, Objects, Part, PreparedPart } from '../../kit/index.ts';
import { HeardHandlers } from '../heard-handlers.ts';
import { disruptionTarget, podStatusPatch } from '../pod-disruption.ts';
import { indexPodsByNode, podsOnNode } from '../pods-by-node.ts';
import { runQueueWorkers, type WorkOutcome } from '../queue-workers.ts';
import { EvictionSchedule } from './eviction-schedule.ts';
import { toleranceFor } from './tolerations.ts';

const NAME = 'taint-eviction-controller';
const DELETIONS_AT_ONCE = 8;

/** Deletes pods from nodes with NoExecute taints: at once, or when the time for which they tolerate the taints is over. */
export function taintEvictionController(): Part {
  return { name: NAME, prepare: (context) => new TaintEviction(context) };
}

class TaintEviction implements PreparedPart {
  readonly #context: AppContext;
  readonly #log: Logger;
  readonly #events: EventRecorder;
  readonly #pods: Objects<Pod>;
  readonly #nodes: Objects<Node>;
  readonly #schedule: EvictionSchedule;
  /** Pods to be deleted now, by key. */
  readonly #toDelete: WorkQueue;
  readonly #handlers = new HeardHandlers();

  constructor(context: AppContext) {
    const { clock } = context;
    this.#context = context;
    this.#log = context.log.with({ controller: NAME });
    this.#events = context.events(NAME);
    this.#pods = context.objects(Pod);
    this.#nodes = context.objects(Node);
    indexPodsByNode(this.#pods);
    this.#toDelete = new WorkQueue({
      clock,
      rateLimiter: new ItemBackoff({ initialMs: 10, capMs: 60_000 }),
      metrics: context.queueMetrics.queue('noexec_taint_pod'),
    });
    this.#schedule = new EvictionSchedule(clock, (key) => this.#toDelete.add(key));
  }

  get isIdle(): boolean {
    const { size, working } = this.#toDelete;
    return size + working === 0 && this.#handlers.isIdle;
  }

  async run(signal: AbortSignal): Promise<void> {
    using _ = this.#schedule;
    using handlers = this.#handlers;
    handlers.add(this.#watchPods());
    handlers.add(this.#watchNodes());
    await runQueueWorkers(this.#toDelete, (key) => this.#evict(key), {
      concurrency: DELETIONS_AT_ONCE,
      log: this.#log,
      signal,
    });
  }

  #watchPods(): HandlerRegistration<Pod> {
    const consider = (pod: Observed<Pod>): void => {
      const node = this.#nodes.get(pod.spec?.nodeName ?? '');
      if (node !== undefined && evictingTaints(node).length > 0) this.#consider(pod, node);
    };
    return this.#context.informer(Pod).addHandler(
      {
        add: consider,
        update: (pod, old) => {
          const isSameNode = pod.spec?.nodeName === old.spec?.nodeName;
          if (!isSameNode || !deepEqual(pod.spec?.tolerations, old.spec?.tolerations)) consider(pod);
        },
        delete: (pod) => this.#spare(keyOf(pod)),
      },
      { name: NAME },
    );
  }

  #watchNodes(): HandlerRegistration<Node> {
    const consider = (node: Observed<Node>): void => {
      for (const pod of podsOnNode(this.#pods, node.metadata.name)) this.#consider(pod, node);
    };
    return this.#context.informer(Node).addHandler(
      {
        add: (node) => {
          if (evictingTaints(node).length > 0) consider(node);
        },
        update: (node, old) => {
          if (!deepEqual(evictingTaints(node), evictingTaints(old))) consider(node);
        },
      },
      { name: NAME },
    );
  }

  /** Decides when the pod goes. An appointment once made stays, as long as the taints are tolerated for a time. */
  #consider(pod: Observed<Pod>, node: Observed<Node>): void {
    const key = keyOf(pod);
    const tolerance = toleranceFor(evictingTaints(node), pod.spec?.tolerations ?? []);
    if (tolerance.type === 'none') {
      this.#spare(key);
      this.#toDelete.add(key);
    } else if (tolerance.type === 'ever') {
      this.#spare(key);
    } else {
      const madeMs = this.#schedule.madeAt(key);
      if (madeMs !== undefined && madeMs < this.#context.clock.monotonic()) return;
      this.#schedule.add(key, tolerance.ms);
    }
  }

  #spare(key: string): void {
    if (this.#schedule.cancel(key)) this.#report(key, `Cancelling deletion of Pod ${key}`);
  }

  async #evict(key: string): Promise<WorkOutcome> {
    if (this.#toDelete.failures(key) === 0) this.#report(key, `Marking for deletion Pod ${key}`);
    try {
      const pod = await this.#pods.fetch(key);
      if (pod === undefined) return 'done';
      const condition = disruptionTarget(pod, {
        reason: 'DeletionByTaintManager',
        message: 'Taint manager: deleting due to NoExecute taint',
        now: formatTime(instantOfMillis(this.#context.clock.now())),
      });
      if (condition !== undefined) await this.#pods.patchStatus(key, podStatusPatch(pod, { conditions: [condition] }));
      await this.#pods.delete(key);
    } catch (error) {
      if (!hasReason(error, 'NotFound')) throw error;
    }
    return 'done';
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
