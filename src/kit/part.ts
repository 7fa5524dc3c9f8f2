import type { Clock, Logger, MetricRegistry, Random } from '../base/index.ts';
import type {
  Client,
  InformerScope,
  Kind,
  KubernetesObject,
  SharedInformer,
  WorkQueueMetrics,
} from '../client/index.ts';
import type { EventRecorder } from './events.ts';
import type { Objects } from './objects.ts';
import type { ReconcileMetrics } from './reconcile/reconcile-metrics.ts';
import type { ReconcileRecord } from './trace.ts';

/** What an app gives to its parts: shared caches, a client, events, and its surroundings. */
export interface AppContext {
  /** As in logs, metrics and field managers. */
  readonly name: string;
  /** The component that events name as their source, unless a part says otherwise. */
  readonly component: string;
  readonly client: Client;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
  readonly metrics: MetricRegistry;
  /** The metrics of queues, for those that a part makes for itself. */
  readonly queueMetrics: WorkQueueMetrics;
  readonly reconcileMetrics: ReconcileMetrics;
  /** What is under way when the app stops may take so long to finish before its signal aborts. */
  readonly stopGraceMs: number;
  /** Records events under the given component name; `host` is for those that run on a node. */
  events(component: string, options?: { readonly host?: string }): EventRecorder;
  /** Remembers a reconcile for `App.trace`. */
  trace(record: ReconcileRecord): void;
  /** The objects of a kind. All parts that ask for the same kind and scope share one cache and one watch. */
  objects<T extends KubernetesObject>(kind: Kind<T>, scope?: InformerScope): Objects<T>;
  /** The informer under `objects`, to hear of changes. */
  informer<T extends KubernetesObject>(kind: Kind<T>, scope?: InformerScope): SharedInformer<T>;
  /** An informer for those who need metadata only; it may know whole objects. Without it, `informer` serves as well. */
  metadata?(kind: Kind): SharedInformer<KubernetesObject>;
}

/** Something that an app runs: a controller, or any other loop. */
export interface Part {
  readonly name: string;
  /** Says which caches it needs, before they are filled; what it returns runs when they are, and while we lead. */
  prepare(context: AppContext): PreparedPart;
}

export interface PreparedPart {
  run(signal: AbortSignal): Promise<void>;
  /** Whether nothing is waiting or under way that could go on without time passing. For `settle` and for health. */
  readonly isIdle: boolean;
}
