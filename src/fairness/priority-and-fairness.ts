import type { Encode, PathHandler, RequestInfo, SelfClient, ServerObjects } from '../apiserver/index.ts';
import type { Clock, Logger, MetricRegistry, Random } from '../base/index.ts';
import { ensureFlowObjects, keepFlowObjects } from './bootstrap/ensure-flow-objects.ts';
import { FlowDumpPaths } from './debug/dump-paths.ts';
import { StoredSizes } from './estimates/object-sizes.ts';
import { FairLimiter } from './fair-limiter.ts';
import { FlowControl } from './flow-control.ts';
import { followFlowObjects } from './follow-flow-objects.ts';
import { FlowMetrics } from './metrics/flow-metrics.ts';

export interface PriorityAndFairnessOptions {
  readonly objects: ServerObjects;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
  readonly metrics: MetricRegistry;
  /** Max concurrent requests, not counting exempt ones. */
  readonly serverSeats: number;
  readonly requestTimeoutMs: number;
  /** The store prefix of the objects that a request is for; undefined when this server does not store them. */
  readonly prefixOf: (info: RequestInfo) => string | undefined;
}

/** API priority and fairness: sorts requests into priority levels, and shares the server among and within them. */
export class PriorityAndFairness {
  readonly control: FlowControl;
  /** The paths under `/debug/api_priority_and_fairness/`. */
  readonly paths: PathHandler;
  readonly #options: PriorityAndFairnessOptions;
  readonly #metrics: FlowMetrics;

  constructor(options: PriorityAndFairnessOptions) {
    const { clock, metrics, serverSeats } = options;
    this.#options = options;
    this.#metrics = new FlowMetrics(metrics, clock);
    this.control = new FlowControl({ clock, metrics: this.#metrics, serverSeats });
    this.#metrics.show(metrics, () => this.control);
    this.paths = new FlowDumpPaths(this.control, clock);
  }

  /** For the server's stages. */
  limiter(encode: Encode): FairLimiter {
    const { clock, objects, prefixOf, serverSeats, requestTimeoutMs } = this.#options;
    const sizes = new StoredSizes({ store: objects.store, clock, prefixOf });
    const { control } = this;
    return new FairLimiter({ clock, control, metrics: this.#metrics, sizes, serverSeats, requestTimeoutMs, encode });
  }

  /** Creates the objects that every server has, if they are missing. */
  async bootstrap(self: SelfClient): Promise<void> {
    await ensureFlowObjects({ self, objects: this.#options.objects });
  }

  /** Applies the objects in the store, and maintains the server's own, until the signal aborts. */
  start(self: SelfClient, signal: AbortSignal): void {
    const { clock, random, log, objects } = this.#options;
    followFlowObjects({ control: this.control, objects, self, clock, random, log, signal });
    void keepFlowObjects({ self, objects }, { clock, log, signal });
  }
}
