import { Backoff, type Counter, describeError, type Logger, runTogether } from '../../base/index.ts';
import type { Handler, Kind, KubernetesObject } from '../../client/index.ts';
import type {
  AppContext,
  ClusterState,
  EventRecorder,
  KeyedWorkers,
  ObjectChange,
  ProgramPart,
  PreparedPart,
} from '../../kit/index.ts';
import { AbsentOwners } from './absent-owners.ts';
import { Collector } from './collector.ts';
import { DependencyGraph } from './dependency-graph.ts';
import type { GraphNode, Owner } from './graph-node.ts';
import { KindCatalogue } from './kind-catalogue.ts';
import { LiveObjects, UnknownKindError } from './live-objects.ts';
import { Monitors } from './monitors.ts';
import { describeReference, ownerOf } from './object-reference.ts';
import { OwnerClassifier } from './owner-states.ts';

export interface GarbageCollectorOptions {
  /** Maximum number of concurrent operations per kind of work; default 20. */
  readonly concurrency?: number;
  /** Calls a listener when the served kinds change; without it, only CRDs and APIServices trigger discovery. */
  readonly kindsChanged?: (listener: () => void) => Disposable;
}

/** Objects of these kinds add other kinds. */
const KINDS_OF_KINDS = new Set(['CustomResourceDefinition', 'APIService']);
/** Delay before discovery: such objects often change together, and are served a little later. */
const REDISCOVERY_DELAY_MS = 1000;
/** Collection starts after this time even if some kinds could not be listed. */
const MAX_SYNC_MS = 30_000;

/**
 * Deletes objects whose owners are gone, and carries out foreground and orphaning deletions.
 *
 * Watches the metadata of every deletable object of all kinds. Runs discovery when it starts, when the served kinds
 * change, and when an object refers to an unknown kind.
 */
export function garbageCollector(options: GarbageCollectorOptions = {}): ProgramPart {
  const name = 'garbage-collector-controller';
  return {
    name,
    readsEverything: true,
    sleepsThrough: leavesNothingToDo,
    prepare: (context) => new GarbageCollection(context, { concurrency: 20, ...options, name }),
  };
}

/** Whether the change deletes nothing, and no owner of the object is missing. */
function leavesNothingToDo({ after }: ObjectChange, { has }: ClusterState): boolean {
  if (after === undefined || after.metadata?.deletionTimestamp !== undefined) return false;
  const { ownerReferences = [], namespace = '' } = after.metadata ?? {};
  return ownerReferences.every((owner) => has(owner, namespace));
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
  readonly #monitors: Monitors;
  readonly #syncErrors: Counter;
  /** By uid. */
  readonly #examination: KeyedWorkers;
  readonly #orphaning: KeyedWorkers;
  readonly #discovery: KeyedWorkers;
  /** Objects that refer to kinds which were not served at the last discovery. */
  readonly #unresolved = new Set<string>();

  constructor(context: AppContext, options: CollectionOptions) {
    const { clock, client } = context;
    const { concurrency } = options;
    this.#context = context;
    this.#options = options;
    this.#log = context.log.with({ controller: options.name });
    this.#events = context.events(options.name);
    this.#kinds = new KindCatalogue(client.apis, clock);
    this.#graph = new DependencyGraph({
      examine: ({ uid }, how) => (how?.isRetry === true ? this.#examination.retry(uid) : this.#examination.add(uid)),
      orphan: ({ uid }) => this.#orphaning.add(uid),
      isAbsent: (owner) => this.#absent.add(owner),
      refersElsewhere: (dependent, owner) => this.#reportElsewhere(dependent, owner),
    });
    this.#syncErrors = context.metrics
      .counter({
        name: 'garbagecollector_controller_resources_sync_error_total',
        help: 'Looks at which kinds there are that failed.',
      })
      .with();
    this.#monitors = new Monitors(context, (kind) => this.#handlerFor(kind));
    this.#discovery = context.workers('garbage_collector_discovery', {
      work: (_, { signal }) => this.#discoverAgain(signal),
    });
    this.#examination = context.workers('garbage_collector_attempt_to_delete', {
      concurrency,
      work: (uid, { signal }) => this.#tolerate(uid, this.#collector(signal).examine(uid)),
    });
    this.#orphaning = context.workers('garbage_collector_attempt_to_orphan', {
      concurrency,
      work: (uid, { signal }) => this.#tolerate(uid, this.#collector(signal).orphanDependents(uid)),
    });
  }

  get isIdle(): boolean {
    return this.#monitors.isIdle;
  }

  async run(signal: AbortSignal): Promise<void> {
    const collecting = { run: (scope: AbortSignal) => this.#collect(scope) };
    using _kindsChanged = this.#options.kindsChanged?.(() => this.#discoverSoon(0));
    await this.#discoverFirst(signal);
    await runTogether([this.#monitors, this.#discovery, collecting], signal);
  }

  async #discoverFirst(signal: AbortSignal): Promise<void> {
    const { clock, random } = this.#context;
    const backoff = new Backoff({ initialMs: 100, factor: 2, jitter: 0.1, capMs: 30_000 }, random);
    while (!signal.aborted) {
      try {
        await this.#discover(signal);
        return;
      } catch (error) {
        this.#log.warn('discovery failed, will be retried', { error: describeError(error) });
        await clock.sleep(backoff.nextMs(), signal);
      }
    }
  }

  async #discoverAgain(signal: AbortSignal): Promise<void> {
    try {
      await this.#discover(signal);
    } catch (error) {
      this.#syncErrors.add();
      throw error;
    }
  }

  async #discover(signal: AbortSignal): Promise<void> {
    const isOther = await this.#kinds.refresh({ signal });
    this.#monitors.watch(this.#kinds.deletable);
    if (!isOther) return;
    for (const uid of this.#unresolved) this.#examination.add(uid);
    this.#unresolved.clear();
  }

  /** Starts after the graph is complete: before that, a missing owner may merely be unobserved. */
  async #collect(signal: AbortSignal): Promise<void> {
    await this.#synced(signal);
    await runTogether([this.#examination, this.#orphaning], signal);
  }

  #collector(signal: AbortSignal): Collector {
    const live = new LiveObjects(this.#context.client, this.#kinds, { signal });
    return new Collector({
      graph: this.#graph,
      live,
      judge: new OwnerClassifier(live, this.#absent),
      examine: ({ uid }) => this.#examination.add(uid),
    });
  }

  /** A kind that cannot be listed, because its server is down, must not block all others. */
  async #synced(signal: AbortSignal): Promise<void> {
    const { clock } = this.#context;
    const enough = new AbortController();
    const all = this.#monitors.synced(signal).then(() => enough.abort());
    await Promise.race([all.catch(() => enough.abort()), clock.sleep(MAX_SYNC_MS, enough.signal)]);
  }

  /** An unserved kind may be served later: objects that refer to it are examined again then, and periodically. */
  async #tolerate(uid: string, work: Promise<'again' | void>): Promise<'again' | void> {
    try {
      return await work;
    } catch (error) {
      if (!(error instanceof UnknownKindError)) throw error;
      this.#log.debug('reference to an unknown kind', { uid, error: error.message });
      this.#unresolved.add(uid);
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
    if (delayMs === 0) this.#discovery.add('kinds');
    else this.#discovery.addAfter('kinds', delayMs);
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
