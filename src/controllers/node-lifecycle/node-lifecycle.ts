import { deepEqual, type Duration, millisecondsOf, runTogether } from '../../base/index.ts';
import { keyOf, Lease, Node, type Observed, Pod } from '../../client/index.ts';
import {
  type ProgramContext,
  type EventRecorder,
  type KeyedWorkers,
  type Objects,
  type ProgramPart,
  Passes,
  type PreparedPart,
} from '../../kit/index.ts';
import { HealthMonitor } from './health-monitor.ts';
import { readinessOf } from './node-health.ts';
import { missingLabels } from './node-labels.ts';
import { NodeMetrics } from './node-metrics.ts';
import { evictionTaints, scheduleTaintChanges } from './node-taints.ts';
import { NodeWriter } from './node-writer.ts';
import { markNotReady } from './pod-readiness.ts';
import { zoneKeyOf } from '../../api/meaning/index.ts';
import { type EvictionRates, Zones } from './zones.ts';

export interface NodeLifecycleOptions extends EvictionRates {
  /** Interval between checks of the nodes, while one may be due; default 5 s. */
  readonly nodeMonitorPeriod?: Duration;
  /** Time without a heartbeat after which a node is considered lost; default 50 s. */
  readonly nodeMonitorGracePeriod?: Duration;
  /** The same for a node that has never reported its status; default 60 s. */
  readonly nodeStartupGracePeriod?: Duration;
}

const LEASE_NAMESPACE = 'kube-node-lease';
const QUEUE = 'node_lifecycle_controller';
const NODE_WORKERS = 8;
const POD_WORKERS = 4;

/**
 * Monitors the nodes: taints them by their conditions, sets the conditions of silent nodes to Unknown, marks their pods
 * as not ready, and taints unhealthy nodes, at a limited rate, so that their pods are evicted.
 */
export function nodeLifecycleController(options: NodeLifecycleOptions = {}): ProgramPart {
  return { name: 'node-lifecycle-controller', prepare: (context) => new NodeLifecycle(context, options) };
}

class NodeLifecycle implements PreparedPart {
  readonly #context: ProgramContext;
  readonly #events: EventRecorder;
  readonly #nodes: Objects<Node>;
  readonly #pods: Objects<Pod>;
  readonly #writer: NodeWriter;
  readonly #zones: Zones;
  readonly #monitor: HealthMonitor;
  readonly #passes: Passes;
  #watchdog: Disposable | undefined;
  /** Every node has at least this long after each heartbeat. */
  readonly #patienceMs: number;
  readonly #metrics: NodeMetrics;
  /** Updates labels and NoSchedule taints, by node name. */
  readonly #alignment: KeyedWorkers;
  /** Adds NoExecute taints, by node name. */
  readonly #evictions: KeyedWorkers;
  /** Checks pods that were just bound, by key. */
  readonly #arrivals: KeyedWorkers;

  constructor(context: ProgramContext, options: NodeLifecycleOptions) {
    const { clock } = context;
    this.#context = context;
    this.#events = context.events('node-controller');
    this.#nodes = context.objects(Node);
    this.#pods = context.objects(Pod);
    this.#metrics = new NodeMetrics(context.metrics, () => this.#nodes.list());
    this.#writer = new NodeWriter(this.#nodes, clock);
    this.#alignment = context.workers(QUEUE, { concurrency: NODE_WORKERS, work: (name) => this.#align(name) });
    this.#evictions = context.workers(`${QUEUE}_evictions`, {
      concurrency: NODE_WORKERS,
      work: (name) => this.#evict(name),
    });
    this.#arrivals = context.workers(`${QUEUE}_pods`, { concurrency: POD_WORKERS, work: (key) => this.#receive(key) });
    this.#zones = new Zones({ clock, rates: options, onTurn: (node) => this.#evictions.add(node) });
    const grace = {
      monitorMs: millisecondsOf(options.nodeMonitorGracePeriod ?? 50_000),
      startupMs: millisecondsOf(options.nodeStartupGracePeriod ?? 60_000),
    };
    this.#patienceMs = Math.min(grace.monitorMs, grace.startupMs);
    this.#monitor = new HealthMonitor({
      clock,
      log: context.log.with({ controller: 'node-lifecycle' }),
      nodes: this.#nodes,
      pods: this.#pods,
      events: this.#events,
      writer: this.#writer,
      zones: this.#zones,
      nodeSeconds: this.#metrics.nodeSeconds,
      seenUpTo: context.seenUpTo,
      grace,
    });
    this.#passes = new Passes(context, `${QUEUE}_monitor`, {
      period: options.nodeMonitorPeriod ?? 5000,
      pass: () => this.#check(),
    });
    this.#watchNodes();
    this.#watchLeases();
    this.#watchPods();
  }

  async run(signal: AbortSignal): Promise<void> {
    using _ = this.#zones;
    try {
      await runTogether([this.#passes, this.#alignment, this.#evictions, this.#arrivals], signal);
    } finally {
      this.#watchdog?.[Symbol.dispose]();
    }
  }

  async #check(): Promise<void> {
    const { clock } = this.#context;
    const start = clock.monotonic();
    try {
      await this.#monitor.check();
    } finally {
      this.#metrics.checked(clock.monotonic() - start);
      this.#watch();
    }
  }

  /** Schedules a check for when the next node is considered lost. */
  #watch(): void {
    const { clock } = this.#context;
    this.#watchdog?.[Symbol.dispose]();
    const deadlineMs = this.#monitor.nextDeadlineMs;
    if (deadlineMs === undefined || deadlineMs === Infinity) return;
    const beats = this.#monitor.awaited.map((name) => `leases/${name}`);
    const look = (): void => (this.#monitor.isOverdue ? this.#passes.request() : this.#watch());
    const role = { type: 'watchdog', beats, patienceMs: this.#patienceMs } as const;
    this.#watchdog = clock.timer(deadlineMs + 1 - clock.now(), look, role); // after the deadline, not at it
  }

  async #align(name: string): Promise<void> {
    const node = this.#nodes.get(name);
    if (node === undefined) return;
    const changes = scheduleTaintChanges(node);
    if (changes.add.length + changes.remove.length > 0) await this.#writer.changeTaints(name, changes);
    const labels = missingLabels(node);
    if (labels !== undefined) await this.#writer.setLabels(name, labels);
  }

  async #evict(name: string): Promise<void> {
    const node = this.#nodes.get(name);
    const readiness = node === undefined ? undefined : readinessOf(node);
    if (node === undefined || readiness === undefined || readiness === 'True') return; // healthy again, or gone
    const { own, other } = evictionTaints(readiness);
    await this.#writer.changeTaints(name, { add: [own], remove: [other] });
    this.#metrics.evicted(node);
  }

  /** Marks a pod that is bound to a node that is not ready as not ready. */
  async #receive(key: string): Promise<void> {
    const pod = this.#pods.get(key);
    const node = pod?.spec?.nodeName;
    if (pod === undefined || node === undefined || !this.#monitor.isUnready(node)) return;
    await markNotReady(this.#pods, [pod], { events: this.#events, now: this.#writer.now });
  }

  #watchNodes(): void {
    const see = (node: Observed<Node>): void => {
      this.#monitor.seeNode(node);
      this.#alignment.add(node.metadata.name);
    };
    this.#context.onChange(Node, {
      add: (node) => {
        see(node);
        const lease = this.#context.informer(Lease).cache.get(`${LEASE_NAMESPACE}/${node.metadata.name}`);
        if (lease !== undefined) this.#monitor.seeLease(lease);
        this.#passes.request();
      },
      update: (node, old) => {
        see(node);
        if (hasRelevantChange(node, old)) this.#passes.request();
      },
      delete: ({ metadata }) => {
        this.#monitor.forget(metadata.name);
        this.#passes.request();
      },
    });
  }

  #watchLeases(): void {
    const see = (lease: Observed<Lease>): void => {
      if (lease.metadata.namespace === LEASE_NAMESPACE) this.#monitor.seeLease(lease);
    };
    this.#context.onChange(Lease, { add: see, update: see });
  }

  #watchPods(): void {
    this.#context.onChange(Pod, {
      add: (pod) => {
        if (pod.spec?.nodeName !== undefined) this.#arrivals.add(keyOf(pod));
      },
      update: (pod, old) => {
        if (pod.spec?.nodeName !== old.spec?.nodeName) this.#arrivals.add(keyOf(pod));
      },
    });
  }
}

/** Whether anything but the heartbeat time changed. */
function hasRelevantChange(node: Observed<Node>, old: Observed<Node>): boolean {
  if (readinessOf(node) !== readinessOf(old) || zoneKeyOf(node) !== zoneKeyOf(old)) return true;
  return !deepEqual(node.spec?.taints, old.spec?.taints) || !deepEqual(node.metadata.labels, old.metadata.labels);
}
