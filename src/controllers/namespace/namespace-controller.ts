import type { Logger } from '../../base/index.ts';
import {
  byNamespace,
  ItemBackoff,
  Namespace,
  type Observed,
  Pod,
  strictestOf,
  TokenBucket,
} from '../../client/index.ts';
import type { ProgramContext, KeyedWorkers, ProgramPart, PreparedPart, WorkContext } from '../../kit/index.ts';
import { NamespaceDeletion } from './namespace-deletion.ts';

export interface NamespaceControllerOptions {
  /** Maximum number of namespaces processed concurrently; default 10. */
  readonly concurrency?: number;
  /**
   * Delay after a change, so that other API servers have observed the deletion and reject new objects; default 5 s.
   * With a single API server 0 is enough.
   */
  readonly settleMs?: number;
}

const NAME = 'namespace';

/**
 * Deletes the content of terminating namespaces, reports the progress in their conditions, and then removes their
 * finalizer.
 */
export function namespaceController(options: NamespaceControllerOptions = {}): ProgramPart {
  return {
    name: NAME,
    sleepsThrough: ({ after }) => after?.kind !== 'Namespace' || after.metadata?.deletionTimestamp === undefined,
    prepare: (context) => new NamespaceControl(context, options),
  };
}

class NamespaceControl implements PreparedPart {
  readonly #context: ProgramContext;
  readonly #settleMs: number;
  readonly #log: Logger;
  /** By the name of the namespace. */
  readonly #workers: KeyedWorkers;
  /** Terminating namespaces that are not empty yet. */
  readonly #unfinished = new Set<string>();

  constructor(context: ProgramContext, options: NamespaceControllerOptions) {
    this.#context = context;
    this.#settleMs = options.settleMs ?? 5000;
    this.#log = context.log.with({ controller: NAME });
    this.#workers = context.workers(NAME, {
      concurrency: options.concurrency ?? 10,
      rateLimiter: strictestOf([new ItemBackoff({ maxDelay: 60_000 }), new TokenBucket(context.clock)]),
      work: (name, work) => this.#advance(name, work),
    });
    this.#watchNamespaces();
    this.#watchPods();
  }

  run(signal: AbortSignal): Promise<void> {
    return this.#workers.run(signal);
  }

  #watchNamespaces(): void {
    const changed = ({ metadata }: Observed<Namespace>): void => {
      if (metadata.deletionTimestamp !== undefined) this.#workers.addAfter(metadata.name, this.#settleMs);
    };
    const gone = ({ metadata }: Observed<Namespace>): void => void this.#unfinished.delete(metadata.name);
    this.#context.onChange(Namespace, { add: changed, update: changed, delete: gone });
  }

  /** Requeues when the last pod is gone, because the time that pods take is only an estimate. */
  #watchPods(): void {
    const { cache } = this.#context.informer(Pod);
    const gone = ({ metadata }: Observed<Pod>): void => {
      const { namespace = '' } = metadata;
      if (!this.#unfinished.has(namespace)) return;
      if (cache.byIndex(byNamespace, namespace).length === 0) this.#workers.add(namespace);
    };
    this.#context.onChange(Pod, { delete: gone });
  }

  async #advance(name: string, { signal, after }: WorkContext): Promise<void> {
    this.#unfinished.add(name);
    const { client, clock } = this.#context;
    const progress = await new NamespaceDeletion(client, { clock, log: this.#log, signal }).advance(name);
    if (progress.type === 'over') this.#unfinished.delete(name);
    else after((Math.floor(progress.estimateSeconds / 2) + 1) * 1000);
  }
}
