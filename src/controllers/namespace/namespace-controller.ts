import type { Logger } from '../../base/index.ts';
import {
  type HandlerRegistration,
  ItemBackoff,
  Namespace,
  NAMESPACE_INDEX,
  type Observed,
  Pod,
  type SharedInformer,
  strictestOf,
  TokenBucket,
  WorkQueue,
} from '../../client/index.ts';
import type { AppContext, Part, PreparedPart } from '../../kit/index.ts';
import { HeardHandlers } from '../heard-handlers.ts';
import { runQueueWorkers, type WorkOutcome } from '../queue-workers.ts';
import { NamespaceDeletion } from './namespace-deletion.ts';

export interface NamespaceControllerOptions {
  /** Namespaces worked on at a time; 10 unless given. */
  readonly concurrency?: number;
  /**
   * How long after a change a namespace is left alone, so that other API servers have heard that it is being deleted and
   * let nobody create anything in it; 5 s unless given. With a single API server 0 is enough.
   */
  readonly settleMs?: number;
}

/** Empties namespaces that are being deleted, tells in their conditions how that goes, and then lets them go. */
export function namespaceController(options: NamespaceControllerOptions = {}): Part {
  return { name: 'namespace', prepare: (context) => new NamespaceControl(context, options) };
}

class NamespaceControl implements PreparedPart {
  readonly #context: AppContext;
  readonly #concurrency: number;
  readonly #settleMs: number;
  readonly #log: Logger;
  readonly #queue: WorkQueue;
  readonly #pods: SharedInformer<Pod>;
  readonly #namespaces: SharedInformer<Namespace>;
  readonly #handlers = new HeardHandlers();
  /** Namespaces that are being deleted, and are not empty yet. */
  readonly #unfinished = new Set<string>();

  constructor(context: AppContext, options: NamespaceControllerOptions) {
    const { clock } = context;
    this.#context = context;
    this.#concurrency = options.concurrency ?? 10;
    this.#settleMs = options.settleMs ?? 5000;
    this.#log = context.log.with({ controller: 'namespace' });
    const rateLimiter = strictestOf([new ItemBackoff({ capMs: 60_000 }), new TokenBucket(clock)]);
    this.#queue = new WorkQueue({ clock, rateLimiter, metrics: context.queueMetrics.queue('namespace') });
    this.#namespaces = context.informer(Namespace);
    this.#pods = context.informer(Pod);
  }

  get isIdle(): boolean {
    return this.#queue.size + this.#queue.working === 0 && this.#handlers.isIdle;
  }

  async run(signal: AbortSignal): Promise<void> {
    using handlers = this.#handlers;
    handlers.add(this.#watchNamespaces());
    handlers.add(this.#watchPods());
    const { client, clock } = this.#context;
    const deletion = new NamespaceDeletion(client, { clock, log: this.#log, signal });
    await runQueueWorkers(this.#queue, (name) => this.#advance(deletion, name), {
      concurrency: this.#concurrency,
      log: this.#log,
      signal,
    });
  }

  #watchNamespaces(): HandlerRegistration<Namespace> {
    const changed = ({ metadata }: Observed<Namespace>): void => {
      if (metadata.deletionTimestamp !== undefined) this.#queue.addAfter(metadata.name, this.#settleMs);
    };
    const gone = ({ metadata }: Observed<Namespace>): void => void this.#unfinished.delete(metadata.name);
    return this.#namespaces.addHandler({ add: changed, update: changed, delete: gone }, { name: 'namespace' });
  }

  /** How long pods take is a guess: when the last one is gone, the rest can be deleted at once. */
  #watchPods(): HandlerRegistration<Pod> {
    const gone = ({ metadata }: Observed<Pod>): void => {
      const { namespace = '' } = metadata;
      if (!this.#unfinished.has(namespace)) return;
      if (this.#pods.cache.byIndex(NAMESPACE_INDEX, namespace).length === 0) this.#queue.add(namespace);
    };
    return this.#pods.addHandler({ delete: gone }, { name: 'namespace' });
  }

  async #advance(deletion: NamespaceDeletion, name: string): Promise<WorkOutcome> {
    this.#unfinished.add(name);
    const progress = await deletion.advance(name);
    if (progress.type === 'over') this.#unfinished.delete(name);
    else this.#queue.addAfter(name, (Math.floor(progress.estimateSeconds / 2) + 1) * 1000);
    return 'done';
  }
}
