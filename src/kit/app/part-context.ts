import type { Clock, Logger, MetricRegistry, Random } from '../../base/index.ts';
import type { Client, Handler, ObjectSelection, Kind, KubernetesObject, SharedInformer } from '../../client/index.ts';
import type { EventRecorder } from '../events.ts';
import type { Objects } from '../objects.ts';
import type { Subscription } from '../part.ts';
import type { ProgramContext, ProgramPart } from '../program-part.ts';
import { KeyedWorkers, type KeyedWorkersOptions } from '../work/keyed-workers.ts';
import type { WorkView } from '../work/work-state.ts';
import type { ReadKind } from './dormancy.ts';
import { PartHandler } from './part-handler.ts';
import type { SharedResources } from './shared-resources.ts';

/** The context of one part of an app. Records which kinds the part asks for, and runs its handlers. */
export class PartContext implements ProgramContext, Disposable {
  readonly name: string;
  readonly component: string;
  readonly client: Client;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
  readonly metrics: MetricRegistry;
  readonly stopGraceMs: number;
  readonly seenUpTo: string | undefined;
  readonly informers = new Set<SharedInformer<never>>();
  readonly #reads = new Map<string, ReadKind>();
  readonly #part: Pick<ProgramPart, 'name' | 'account' | 'concurrency'>;
  readonly #shared: SharedResources;
  readonly #handlers = new Set<PartHandler<never>>();
  readonly #workers: KeyedWorkers[] = [];
  #isStarted = false;

  constructor(part: Pick<ProgramPart, 'name' | 'account' | 'concurrency'>, shared: SharedResources, seenUpTo?: string) {
    const { name, component, client, metrics, stopGraceMs } = shared.options;
    this.name = name;
    this.component = component;
    this.client = shared.clientOf(part.account ?? part.name);
    this.clock = client.clock;
    this.random = client.random;
    this.log = client.log;
    this.metrics = metrics;
    this.stopGraceMs = stopGraceMs;
    this.seenUpTo = seenUpTo;
    this.#part = part;
    this.#shared = shared;
  }

  /** True if every handler has received all changes and no worker has anything to do. */
  get isIdle(): boolean {
    const isDelivered = [...this.#handlers].every(({ pending }) => pending === 0);
    return isDelivered && this.#workers.every(({ isIdle }) => isIdle);
  }

  /** A look into the part's workers. */
  get work(): readonly WorkView[] {
    return this.#workers.map(({ view }) => view);
  }

  /** The kinds that the part has asked for. */
  get reads(): readonly ReadKind[] {
    return [...this.#reads.values()];
  }

  /** Starts delivering changes to the handlers; resolves when they have received all existing objects. */
  async start(signal: AbortSignal): Promise<void> {
    this.#isStarted = true;
    const handlers = [...this.#handlers];
    for (const handler of handlers) handler.start();
    await Promise.all(handlers.map((handler) => handler.synced(signal)));
  }

  [Symbol.dispose](): void {
    for (const handler of this.#handlers) handler[Symbol.dispose]();
  }

  events(component: string, options: { readonly host?: string } = {}): EventRecorder {
    return this.#shared.options.events.recorder({ component, ...options });
  }

  objects<T extends KubernetesObject>(kind: Kind<T>, where: ObjectSelection = {}, writer?: string): Objects<T> {
    this.informer(kind, where);
    return this.#shared.objects(kind, where, writer === undefined ? this.client : this.clientOf(writer));
  }

  clientOf(writer: string): Client {
    return this.#shared.clientOf(writer);
  }

  informer<T extends KubernetesObject>(kind: Kind<T>, where: ObjectSelection = {}): SharedInformer<T> {
    const informer = this.#shared.informer(kind, where);
    this.#noteRead(kind, where);
    this.informers.add(informer as unknown as SharedInformer<never>);
    return informer;
  }

  onChange<T extends KubernetesObject>(kind: Kind<T>, handler: Handler<T>, where: ObjectSelection = {}): Subscription {
    const informer = this.informer(kind, where);
    const made: PartHandler<T> = new PartHandler(handler, {
      name: this.#part.name,
      informer,
      cache: this.#shared.cache(kind, where),
      tracker: this.#shared.options.tracker,
      kind: kind.kind,
      onDispose: () => void this.#handlers.delete(made as unknown as PartHandler<never>),
    });
    this.#handlers.add(made as unknown as PartHandler<never>);
    if (this.#isStarted) made.start();
    return made;
  }

  workers(name: string, options: KeyedWorkersOptions): KeyedWorkers {
    const { clock, log, stopGraceMs } = this;
    const { workMetrics: metrics, options: shared } = this.#shared;
    const trace = shared.trace.push.bind(shared.trace);
    const { tracker } = shared;
    const { isLocal } = this.client;
    const { concurrency = options.concurrency } = options.concurrency === undefined ? {} : this.#part;
    const own = concurrency === undefined ? options : { ...options, concurrency };
    const workers = new KeyedWorkers(name, own, { clock, log, stopGraceMs, metrics, tracker, trace, isLocal });
    this.#workers.push(workers);
    return workers;
  }

  #noteRead({ group, plural }: Kind, { namespace }: ObjectSelection): void {
    const place = namespace === undefined ? {} : { namespace };
    this.#reads.set(`${plural}.${group} ${namespace ?? ''}`, { group, plural, ...place });
  }
}
