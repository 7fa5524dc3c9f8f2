import { deepEqual, type Logger, runTogether } from '../../base/index.ts';
import { type HandlerRegistration, keyOf, Lease, Node, type Observed, Pod, WorkQueue } from '../../client/index.ts';
import type { AppContext, EventRecorder, Objects, Part, PreparedPart } from '../../kit/index.ts';
import { HeardHandlers } from '../heard-handlers.ts';
import { PassPlanner } from '../pass-planner.ts';
import { indexPodsByNode } from '../pods-by-node.ts';
import { runQueueWorkers, type WorkOutcome } from '../queue-workers.ts';
import { HealthMonitor } from './health-monitor.ts';
import { readinessOf } from './node-health.ts';
import { missingLabels } from './node-labels.ts';
import { evictionTaints, scheduleTaintChanges } from './node-taints.ts';
import { NodeWriter } from './node-writer.ts';
import { markNotReady } from './pod-readiness.ts';
import { zoneKeyOf } from '../../api/meaning/index.ts';
import { type EvictionRates, Zones } from './zones.ts';

export interface NodeLifecycleOptions extends EvictionRates {
  /** How often nodes are looked at, when there is a reason to; 5 s unless given. */
  readonly nodeMonitorPeriodMs?: number;
  /** Silence after which a node counts as lost; 50 s unless given. */
  readonly nodeMonitorGracePeriodMs?: number;
  /** The same for a node that has never said how it is; 60 s unless given. */
  readonly nodeStartupGracePeriodMs?: number;
}

const LEASE_NAMESPACE = 'kube-node-lease';
const NODE_WORKERS = 8;
const POD_WORKERS = 4;

/**
 * Follows the nodes: taints them by their conditions, says of silent ones that nothing is known of them and of their pods
 * that they are not ready, and taints bad ones, one after the other, so that their pods are evicted.
 */
export function nodeLifecycleController(options: NodeLifecycleOptions = {}): Part {
  return { name: 'node-lifecycle-controller', prepare: (context) => new NodeLifecycle(context, options) };
}

class NodeLifecycle implements PreparedPart {
  readonly #context: AppContext;
  readonly #log: Logger;
  readonly #events: EventRecorder;
  readonly #nodes: Objects<Node>;
  readonly #pods: Objects<Pod>;
  readonly #writer: NodeWriter;
  readonly #zones: Zones;
  readonly #monitor: HealthMonitor;
  readonly #planner: PassPlanner;
  /** Nodes whose labels and NoSchedule taints are to be brought into line, by name. */
  readonly #toAlign: WorkQueue;
  /** Nodes whose pods are to be evicted now. */
  readonly #toEvict: WorkQueue;
  /** Pods that have come to their nodes just now, by key. */
  readonly #arrivals: WorkQueue;
  readonly #handlers = new HeardHandlers();

  constructor(context: AppContext, options: NodeLifecycleOptions) {
    const { clock } = context;
    this.#context = context;
    this.#log = context.log.with({ controller: 'node-lifecycle' });
    this.#events = context.events('node-controller');
    this.#nodes = context.objects(Node);
    this.#pods = context.objects(Pod);
    indexPodsByNode(this.#pods);
    this.#writer = new NodeWriter(this.#nodes, clock);
    const queue = (name: string): WorkQueue => new WorkQueue({ clock, metrics: context.queueMetrics.queue(name) });
    this.#toAlign = queue('node_lifecycle_controller');
    this.#toEvict = queue('node_lifecycle_controller_evictions');
    this.#arrivals = queue('node_lifecycle_controller_pods');
    this.#zones = new Zones({ clock, rates: options, onTurn: (node) => this.#toEvict.add(node) });
    this.#monitor = new HealthMonitor({
      clock,
      log: this.#log,
      nodes: this.#nodes,
      pods: this.#pods,
      events: this.#events,
      writer: this.#writer,
      zones: this.#zones,
      grace: {
        monitorMs: options.nodeMonitorGracePeriodMs ?? 50_000,
        startupMs: options.nodeStartupGracePeriodMs ?? 60_000,
      },
    });
    this.#planner = new PassPlanner({ clock, log: this.#log, periodMs: options.nodeMonitorPeriodMs ?? 5000 });
    context.informer(Lease);
  }

  get isIdle(): boolean {
    const queues = [this.#toAlign, this.#toEvict, this.#arrivals];
    const isWorking = queues.some(({ size, working }) => size + working > 0);
    return !isWorking && this.#planner.isIdle && this.#handlers.isIdle;
  }

  async run(signal: AbortSignal): Promise<void> {
    using _ = this.#zones;
    using handlers = this.#handlers;
    for (const handler of [this.#watchNodes(), this.#watchLeases(), this.#watchPods()]) handlers.add(handler);
    await handlers.synced(signal);
    const options = { log: this.#log, concurrency: NODE_WORKERS };
    await runTogether(
      [
        { run: (signal) => this.#planner.run(() => this.#check(), signal) },
        { run: (signal) => runQueueWorkers(this.#toAlign, (name) => this.#align(name), { ...options, signal }) },
        { run: (signal) => runQueueWorkers(this.#toEvict, (name) => this.#evict(name), { ...options, signal }) },
        {
          run: (signal) =>
            runQueueWorkers(this.#arrivals, (key) => this.#receive(key), {
              ...options,
              concurrency: POD_WORKERS,
              signal,
            }),
        },
      ],
      signal,
    );
  }

  async #check(): Promise<void> {
    try {
      await this.#monitor.check();
    } finally {
      const deadlineMs = this.#monitor.nextDeadlineMs;
      const { clock } = this.#context;
      // after the deadline, not at it
      if (deadlineMs !== undefined) this.#planner.request(clock.monotonic() + (deadlineMs + 1 - clock.now()));
    }
  }

  async #align(name: string): Promise<WorkOutcome> {
    const node = this.#nodes.get(name);
    if (node === undefined) return 'done';
    const changes = scheduleTaintChanges(node);
    if (changes.add.length + changes.remove.length > 0) await this.#writer.changeTaints(name, changes);
    const labels = missingLabels(node);
    if (labels !== undefined) await this.#writer.setLabels(name, labels);
    return 'done';
  }

  async #evict(name: string): Promise<WorkOutcome> {
    const node = this.#nodes.get(name);
    const readiness = node === undefined ? 'True' : readinessOf(node);
    if (readiness === undefined || readiness === 'True') return 'done'; // it is well again, or gone
    const { own, other } = evictionTaints(readiness);
    await this.#writer.changeTaints(name, { add: [own], remove: [other] });
    return 'done';
  }

  /** A pod that comes to a node which is not ready is not ready either. */
  async #receive(key: string): Promise<WorkOutcome> {
    const pod = this.#pods.get(key);
    const node = pod?.spec?.nodeName;
    if (pod === undefined || node === undefined || !this.#monitor.isUnready(node)) return 'done';
    await markNotReady(this.#pods, [pod], { events: this.#events, now: this.#writer.now });
    return 'done';
  }

  #watchNodes(): HandlerRegistration<Node> {
    const see = (node: Observed<Node>): void => {
      this.#monitor.seeNode(node);
      this.#toAlign.add(node.metadata.name);
    };
    return this.#context.informer(Node).addHandler(
      {
        add: (node) => {
          see(node);
          const lease = this.#context.informer(Lease).cache.get(`${LEASE_NAMESPACE}/${node.metadata.name}`);
          if (lease !== undefined) this.#monitor.seeLease(lease);
          this.#planner.request();
        },
        update: (node, old) => {
          see(node);
          if (isWorthALook(node, old)) this.#planner.request();
        },
        delete: ({ metadata }) => {
          this.#monitor.forget(metadata.name);
          this.#planner.request();
        },
      },
      { name: 'node lifecycle' },
    );
  }

  #watchLeases(): HandlerRegistration<Lease> {
    const see = (lease: Observed<Lease>): void => {
      if (lease.metadata.namespace === LEASE_NAMESPACE) this.#monitor.seeLease(lease);
    };
    return this.#context.informer(Lease).addHandler({ add: see, update: see }, { name: 'node lifecycle' });
  }

  #watchPods(): HandlerRegistration<Pod> {
    return this.#context.informer(Pod).addHandler(
      {
        add: (pod) => {
          if (pod.spec?.nodeName !== undefined) this.#arrivals.add(keyOf(pod));
        },
        update: (pod, old) => {
          if (pod.spec?.nodeName !== old.spec?.nodeName) this.#arrivals.add(keyOf(pod));
        },
      },
      { name: 'node lifecycle' },
    );
  }
}

/** Whether more has changed than the time of the last sign of life. */
function isWorthALook(node: Observed<Node>, old: Observed<Node>): boolean {
  if (readinessOf(node) !== readinessOf(old) || zoneKeyOf(node) !== zoneKeyOf(old)) return true;
  return !deepEqual(node.spec?.taints, old.spec?.taints) || !deepEqual(node.metadata.labels, old.metadata.labels);
}
