import { Backoff, describeError, type Logger, runTogether } from '../../base/index.ts';
import { type Handler, type Kind, type KubernetesObject, WorkQueue } from '../../client/index.ts';
import type { AppContext, EventRecorder, Part, PreparedPart } from '../../kit/index.ts';
import { runQueueWorkers, type WorkOutcome } from '../queue-workers.ts';
import { AbsentOwners } from './absent-owners.ts';
import { Collector } from './collector.ts';
import { DependencyGraph } from './dependency-graph.ts';
import type { GraphNode, Owner } from './graph-node.ts';
import { KindCatalogue } from './kind-catalogue.ts';
import { LiveObjects, UnknownKindError } from './live-objects.ts';
import { Monitors } from './monitors.ts';
import { describeReference, ownerOf } from './object-reference.ts';
import { OwnerJudge } from './owner-verdict.ts';

export interface GarbageCollectorOptions {
  /** Objects worked on at a time, of each kind of work; 20 unless given. */
  readonly concurrency?: number;
  /** Calls a listener when other kinds are served than before; without it, only objects that bring kinds tell. */
  readonly kindsChanged?: (listener: () => void) => Disposable;
}

/** Objects of these kinds bring other kinds with them. */
const KINDS_OF_KINDS = new Set(['CustomResourceDefinition', 'APIService']);
/** Several of them often change together, and are served a little later. */
const REDISCOVERY_DELAY_MS = 1000;
/** After so long we begin, even if some kinds could not be listed. */
const MAX_SYNC_MS = 30_000;

/**
 * Deletes objects whose owners are gone, and carries out deletions in the foreground and orphaning ones.
 *
 * Watches the metadata of every object that can be deleted, of all kinds there are. Asks which kinds there are when it
 * starts, when those change that bring others, and when it is referred to one that it does not know.
 */
export function garbageCollector(options: GarbageCollectorOptions = {}): Part {
  const name = 'garbage-collector-controller';
  return {
    name,
    prepare: (context) => new GarbageCollection(context, { concurrency: 20, ...options, name }),
  };
}

interface CollectionOptions extends GarbageCollectorOptions {
  readonly name: string;
  readonly concurrency: number;
}

class GarbageCollection implements PreparedPart {
  readonly #context: AppContext;
  readonly #options: CollectionOptions;
  readonly #log: Logger;
  readonly #events: EventRecorder;
  readonly #kinds: KindCatalogue;
  readonly #graph: DependencyGraph;
  readonly #absent = new AbsentOwners();
  /** By uid. */
  readonly #toExamine: WorkQueue;
  readonly #toOrphan: WorkQueue;
  readonly #toDiscover: WorkQueue;
  /** Objects that refer to kinds which were not served when we looked. */
  readonly #puzzling = new Set<string>();
  #monitors: Monitors | undefined;

  constructor(context: AppContext, options: CollectionOptions) {
    const { clock, client } = context;
    this.#context = context;
    this.#options = options;
    this.#log = context.log.with({ controller: options.name });
    this.#events = context.events(options.name);
    this.#kinds = new KindCatalogue(client.apis, clock);
    const queue = (name: string): WorkQueue => new WorkQueue({ clock, metrics: context.queueMetrics.queue(name) });
    this.#toExamine = queue('garbage_collector_attempt_to_delete');
    this.#toOrphan = queue('garbage_collector_attempt_to_orphan');
    this.#toDiscover = queue('garbage_collector_discovery');
    this.#graph = new DependencyGraph({
      examine: ({ uid }, how) => {
        if (how?.isRetry === true) this.#toExamine.addRateLimited(uid);
        else this.#toExamine.add(uid);
      },
      orphan: ({ uid }) => this.#toOrphan.add(uid),
      isAbsent: (owner) => this.#absent.add(owner),
      refersElsewhere: (dependent, owner) => this.#reportElsewhere(dependent, owner),
    });
  }

  get isIdle(): boolean {
    const queues = [this.#toExamine, this.#toOrphan, this.#toDiscover];
    return queues.every(({ size, working }) => size + working === 0) && (this.#monitors?.isIdle ?? true);
  }

  async run(signal: AbortSignal): Promise<void> {
    const monitors = new Monitors(this.#context, { signal, handlerFor: (kind) => this.#handlerFor(kind) });
    this.#monitors = monitors;
    using _kindsChanged = this.#options.kindsChanged?.(() => this.#discoverSoon(0));
    await this.#discoverFirst(monitors, signal);
    const discover = (): Promise<WorkOutcome> => this.#discover(monitors, signal);
    await runTogether(
      [
        monitors,
        { run: (signal) => runQueueWorkers(this.#toDiscover, discover, { concurrency: 1, log: this.#log, signal }) },
        { run: (signal) => this.#collect(monitors, signal) },
      ],
      signal,
    );
  }

  async #discoverFirst(monitors: Monitors, signal: AbortSignal): Promise<void> {
    const { clock, random } = this.#context;
    const backoff = new Backoff({ initialMs: 100, factor: 2, jitter: 0.1, capMs: 30_000 }, random);
    while (!signal.aborted) {
      try {
        await this.#discover(monitors, signal);
        return;
      } catch (error) {
        this.#log.warn('discovery failed, will be tried again', { error: describeError(error) });
        await clock.sleep(backoff.nextMs(), signal);
      }
    }
  }

  async #discover(monitors: Monitors, signal: AbortSignal): Promise<WorkOutcome> {
    const isOther = await this.#kinds.refresh({ signal });
    monitors.watch(this.#kinds.deletable);
    if (!isOther) return 'done';
    for (const uid of this.#puzzling) this.#toExamine.add(uid);
    this.#puzzling.clear();
    return 'done';
  }

  /** Works once the graph is whole: what is not there before is not known to be absent. */
  async #collect(monitors: Monitors, signal: AbortSignal): Promise<void> {
    await this.#synced(monitors, signal);
    const live = new LiveObjects(this.#context.client, this.#kinds, { signal });
    const collector = new Collector({
      graph: this.#graph,
      live,
      judge: new OwnerJudge(live, this.#absent),
      examine: ({ uid }) => this.#toExamine.add(uid),
    });
    const options = { concurrency: this.#options.concurrency, log: this.#log, signal };
    await Promise.all([
      runQueueWorkers(this.#toExamine, (uid) => this.#tolerate(uid, collector.examine(uid)), options),
      runQueueWorkers(this.#toOrphan, (uid) => this.#tolerate(uid, collector.orphanDependents(uid)), options),
    ]);
  }

  /** A kind that cannot be listed, because its own server is down, must not keep us from all others. */
  async #synced(monitors: Monitors, signal: AbortSignal): Promise<void> {
    const { clock } = this.#context;
    const enough = new AbortController();
    const all = monitors.synced(signal).then(() => enough.abort());
    await Promise.race([all.catch(() => enough.abort()), clock.sleep(MAX_SYNC_MS, enough.signal)]);
  }

  /** A kind that is not served may be soon: its objects are looked at again then, and now and again in any case. */
  async #tolerate(uid: string, work: Promise<WorkOutcome>): Promise<WorkOutcome> {
    try {
      return await work;
    } catch (error) {
      if (!(error instanceof UnknownKindError)) throw error;
      this.#log.debug('reference to an unknown kind', { uid, error: error.message });
      this.#puzzling.add(uid);
      return 'again';
    }
  }

  #handlerFor({ apiVersion, kind }: Kind): Handler<KubernetesObject> {
    const changed = KINDS_OF_KINDS.has(kind) ? () => this.#discoverSoon(REDISCOVERY_DELAY_MS) : () => undefined;
    return {
      add: ({ metadata }, { isInInitialList }) => {
        this.#graph.observe({ apiVersion, kind, metadata });
        if (!isInInitialList) changed();
      },
      update: ({ metadata }) => {
        this.#graph.observe({ apiVersion, kind, metadata });
        changed();
      },
      delete: ({ metadata }) => {
        this.#graph.remove({ apiVersion, kind, metadata });
        changed();
      },
    };
  }

  #discoverSoon(delayMs: number): void {
    this.#kinds.expire();
    if (delayMs === 0) this.#toDiscover.add('kinds');
    else this.#toDiscover.addAfter('kinds', delayMs);
  }

  #reportElsewhere({ identity }: GraphNode, owner: Owner): void {
    const { kind, apiVersion, namespace, name, uid } = identity;
    const described = describeReference(ownerOf(owner, namespace));
    this.#events.event(
      { kind, apiVersion, metadata: { name, namespace, uid } },
      {
        type: 'Warning',
        reason: 'OwnerRefInvalidNamespace',
        message: `ownerRef ${described} does not exist in namespace ${JSON.stringify(namespace)}`,
      },
    );
  }
}
