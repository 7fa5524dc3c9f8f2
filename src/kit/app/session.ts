import { aborted, type Logger, MetricRegistry, runTogether } from '../../base/index.ts';
import type { Client, SharedInformer } from '../../client/index.ts';
import { EventWriter } from '../events/event-writer.ts';
import type { Part, PreparedPart } from '../part.ts';
import type { TraceRing } from '../trace.ts';
import { PartContext, SharedResources } from './part-context.ts';

/** A part that is slow to start for want of a cache says so after this long. */
const COMPLAIN_AFTER_MS = 10_000;

interface RunningPart {
  readonly name: string;
  readonly prepared: PreparedPart;
  readonly informers: ReadonlySet<SharedInformer<never>>;
  state: 'standing by' | 'filling caches' | 'running' | 'ended';
}

export interface SessionOptions {
  readonly name: string;
  readonly component: string;
  readonly client: Client;
  readonly trace: TraceRing;
  readonly stopGraceMs: number;
  /** Runs the work while we may do it; at once and until the end unless given. */
  readonly lead?: (work: (signal: AbortSignal) => Promise<void>, signal: AbortSignal, parts: { readonly events: EventWriter }) => Promise<void>;
}

/** An app at work: its parts with their caches, from the first list to the last event. */
export class Session {
  readonly metrics = new MetricRegistry();
  readonly #options: SessionOptions;
  readonly #log: Logger;
  readonly #events: EventWriter;
  readonly #shared: SharedResources;
  readonly #parts: readonly RunningPart[];

  constructor(parts: readonly Part[], options: SessionOptions) {
    const { name, component, client, trace, stopGraceMs } = options;
    this.#options = options;
    this.#log = client.log.with({ app: name });
    const dropped = this.metrics.counter({ name: 'keelson_events_dropped_total', help: 'Events that were not written.' });
    this.#events = new EventWriter({ client, log: this.#log, dropped: dropped.with() });
    const { metrics } = this;
    this.#shared = new SharedResources({ name, component, client, metrics, events: this.#events, trace, stopGraceMs });
    this.#parts = parts.map((part) => this.#prepare(part));
  }

  /** Nothing is under way that could go on without time passing. */
  get isIdle(): boolean {
    const isFetching = this.informers.some(({ health }) => health.state === 'fetching');
    return !isFetching && this.#events.isIdle && this.#parts.every(isPartIdle);
  }

  get informers(): readonly SharedInformer<never>[] {
    return this.#shared.informers.informers as unknown as readonly SharedInformer<never>[];
  }

  /** Runs until the signal aborts. Parts end first, while their caches are still kept; events are written to the last. */
  async run(signal: AbortSignal): Promise<void> {
    const support = new AbortController();
    const { lead = (work, until) => work(until) } = this.#options;
    const working = async (scope: AbortSignal): Promise<void> => {
      try {
        await lead((until) => this.#runParts(until), scope, { events: this.#events });
      } finally {
        support.abort();
      }
    };
    const supporting = async (scope: AbortSignal): Promise<void> => {
      await runTogether([this.#shared.informers, this.#events], support.signal);
      if (!scope.aborted && !support.signal.aborted) throw new Error('Cannot go on: the caches have stopped');
    };
    await runTogether([{ run: working }, { run: supporting }], signal);
  }

  async #runParts(signal: AbortSignal): Promise<void> {
    await runTogether(
      this.#parts.map((part) => ({ run: (scope) => this.#runPart(part, scope) })),
      signal,
    );
    await aborted(signal); // parts that have nothing to do by themselves may still be told of changes
  }

  /** Runs a part when its caches are filled. Those of others, which may be of kinds that do not exist yet, do not matter. */
  async #runPart(part: RunningPart, signal: AbortSignal): Promise<void> {
    const { clock } = this.#options.client;
    part.state = 'filling caches';
    try {
      using _complaint = clock.timer(COMPLAIN_AFTER_MS, () => this.#log.warn('part waits for its caches', { part: part.name }));
      await Promise.all([...part.informers].map((informer) => informer.synced(signal)));
      part.state = 'running';
      await part.prepared.run(signal);
    } finally {
      part.state = 'ended';
    }
  }

  #prepare(part: Part): RunningPart {
    const context = new PartContext(this.#shared);
    const prepared = part.prepare(context);
    return { name: part.name, prepared, informers: context.informers, state: 'standing by' };
  }
}

function isPartIdle({ state, prepared, informers }: RunningPart): boolean {
  if (state === 'running') return prepared.isIdle;
  if (state !== 'filling caches') return true;
  return [...informers].some(({ hasSynced, health }) => !hasSynced && health.state === 'waiting');
}
