import { type Logger, MetricRegistry, runTogether, TaskGroup } from '../../base/index.ts';
import type { Client, Pace, SharedInformer } from '../../client/index.ts';
import { Fence } from '../election/fence.ts';
import { LeaderElection, type LeaderElectionOptions } from '../election/leader-election.ts';
import { EventWriter } from '../events/event-writer.ts';
import type { PreparedPart } from '../part.ts';
import type { ProgramPart } from '../program-part.ts';
import type { TraceRing } from '../trace.ts';
import type { RunTracker } from '../work/run-tracker.ts';
import type { PartView } from './app-options.ts';
import type { Dormancy, PartStart } from './dormancy.ts';
import { PartContext } from './part-context.ts';
import { type KindCache, SharedResources } from './shared-resources.ts';

/** A part whose caches are not filled after this long is logged. */
const WARN_AFTER_MS = 10_000;

/** Servers send a bookmark about once a minute, and a watch that has gone silent is resumed after about two. */
const MAX_SILENCE_MS = 180_000;

const AT_ONCE: PartStart = { isAsleep: false };

interface RunningPart {
  readonly name: string;
  readonly prepared: PreparedPart;
  readonly context: PartContext;
  readonly startsWithoutCaches: boolean;
  state: 'standing by' | 'filling caches' | 'running' | 'ended';
}

export interface SessionOptions {
  readonly name: string;
  readonly component: string;
  readonly client: Client;
  readonly clientFor?: (writer: string) => Client | undefined;
  readonly trace: Pick<TraceRing, 'push'>;
  readonly stopGraceMs: number;
  readonly tracker?: RunTracker | undefined;
  /** How fast events are written; default no limit. */
  readonly eventPace?: Pace | undefined;
  /** Knows which parts need not start yet; default: all start. */
  readonly dormancy?: Dormancy | undefined;
  /** The parts run only while this process leads; default: from the start to the end. */
  readonly election?: LeaderElectionOptions & { readonly name: string; readonly identity: string };
}

/** A running app: its parts and their caches, from the first list to the last event. */
export class Session {
  readonly metrics = new MetricRegistry();
  readonly #options: SessionOptions;
  readonly #log: Logger;
  readonly #events: EventWriter;
  readonly #shared: SharedResources;
  readonly #fence: Fence | undefined;
  readonly #parts: RunningPart[] = [];
  /** Parts that have nothing to do yet. */
  readonly #asleep = new Map<ProgramPart, PartStart>();
  #wake: (part: ProgramPart) => void = () => undefined;

  constructor(parts: readonly ProgramPart[], options: SessionOptions) {
    const { name, component, client, clientFor, trace, stopGraceMs, tracker } = options;
    this.#options = options;
    this.#log = client.log.with({ app: name });
    const dropped = this.metrics.counter({
      name: 'keelson_events_dropped_total',
      help: 'Events not written.',
    });
    this.#events = new EventWriter({ client, log: this.#log, dropped: dropped.with(), pace: options.eventPace });
    const fence = options.election === undefined ? undefined : new Fence(client.clock);
    this.#fence = fence;
    const shared = { name, component, ...fenced({ client, clientFor }, fence), trace, stopGraceMs, tracker };
    this.#shared = new SharedResources({ ...shared, metrics: this.metrics, events: this.#events });
    for (const part of parts) {
      const start = options.dormancy?.startOf(part, () => this.#wake(part)) ?? AT_ONCE;
      if (start.isAsleep) this.#asleep.set(part, start);
      else this.#prepare(part, start);
    }
  }

  /** True if nothing runs that could continue without time passing. */
  get isIdle(): boolean {
    const isFetching = this.informers.some(({ health }) => health.state === 'fetching');
    return !isFetching && this.#events.isIdle && this.#parts.every(isPartIdle);
  }

  /** What keeps the app from being ready: caches that are empty or without contact to the server, and parts that run and are not ready. */
  get unready(): readonly string[] {
    const { clock, isLocal } = this.#options.client;
    const nowMs = clock.monotonic();
    const stale = this.#shared.informers.informers.flatMap((informer) => {
      const { lastContactMs = -Infinity } = informer.health;
      if (!informer.hasSynced) return [`${informer.name} not filled yet`];
      return !isLocal && nowMs - lastContactMs > MAX_SILENCE_MS ? [`${informer.name} out of contact`] : [];
    });
    return stale.concat(this.#parts.flatMap(({ state, prepared }) => (state === 'running' && prepared.unready) || []));
  }

  /** The parts that have begun, and those that sleep. */
  get parts(): readonly PartView[] {
    const begun = this.#parts.map(({ name, context: { reads, work } }) => ({ name, reads, work }));
    return [...begun, ...[...this.#asleep.keys()].map(({ name }) => ({ name, reads: [], work: [], isAsleep: true }))];
  }

  get caches(): readonly KindCache[] {
    return this.#shared.caches;
  }

  get informers(): readonly SharedInformer<never>[] {
    return this.#shared.informers.informers as unknown as readonly SharedInformer<never>[];
  }

  /** Runs until the signal aborts. Parts end first, while their caches still work; events are written last. */
  async run(signal: AbortSignal): Promise<void> {
    const support = new AbortController();
    const working = async (scope: AbortSignal): Promise<void> => {
      try {
        await this.#lead((until) => this.#runParts(until), scope);
      } finally {
        support.abort();
      }
    };
    const supporting = async (scope: AbortSignal): Promise<void> => {
      await runTogether([this.#shared.informers, this.#events], support.signal);
      if (!scope.aborted && !support.signal.aborted) throw new Error('Cannot go on: the caches have stopped');
    };
    using _shared = this.#shared;
    await runTogether([{ run: working }, { run: supporting }], signal);
  }

  #lead(work: (signal: AbortSignal) => Promise<void>, signal: AbortSignal): Promise<void> {
    const { election, client, component } = this.#options;
    if (election === undefined) return work(signal);
    const recorder = this.#events.recorder({ component });
    const status = this.metrics
      .gauge({ name: 'leader_election_master_status', help: '1 while we lead, else 0.', labels: ['name'] })
      .with({ name: election.name });
    const leading = async (term: AbortSignal): Promise<void> => {
      status.set(1);
      try {
        await work(term);
      } finally {
        status.set(0);
      }
    };
    return new LeaderElection(client, election, { log: this.#log, recorder, fence: this.#fence }).lead(leading, signal);
  }

  async #runParts(signal: AbortSignal): Promise<void> {
    const group = new TaskGroup(signal);
    const start = (part: RunningPart): void => group.start({ run: (scope) => this.#runPart(part, scope) });
    this.#wake = (part) => {
      const sleep = this.#asleep.get(part);
      if (sleep === undefined || signal.aborted) return;
      this.#asleep.delete(part);
      start(this.#prepare(part, sleep));
    };
    for (const part of this.#parts) start(part);
    await group.over(); // parts that only have handlers still receive changes
  }

  /** Runs a part once its own caches are filled. Caches of other parts, whose kinds may not exist yet, do not delay it. */
  async #runPart(part: RunningPart, signal: AbortSignal): Promise<void> {
    part.state = 'filling caches';
    using context = part.context;
    try {
      if (!part.startsWithoutCaches) await this.#cachesOf(part, signal);
      part.state = 'running';
      const started = { run: (scope: AbortSignal) => context.start(scope) };
      if (part.startsWithoutCaches) return await runTogether([started, part.prepared], signal);
      await context.start(signal);
      await part.prepared.run(signal);
    } finally {
      part.state = 'ended';
    }
  }

  async #cachesOf(part: RunningPart, signal: AbortSignal): Promise<void> {
    const warn = (): void => this.#log.warn('part waits for its caches', { part: part.name });
    using _warning = this.#options.client.clock.timer(WARN_AFTER_MS, warn);
    await Promise.all([...part.context.informers].map((informer) => informer.synced(signal)));
  }

  #prepare(part: ProgramPart, { seenUpTo }: PartStart): RunningPart {
    const context = new PartContext(part, this.#shared, seenUpTo);
    const { name, startsWithoutCaches = false } = part;
    const prepared = part.prepare(context);
    const made: RunningPart = { name, context, prepared, startsWithoutCaches, state: 'standing by' };
    this.#parts.push(made);
    return made;
  }
}

type Clients = Pick<SessionOptions, 'client' | 'clientFor'>;

/** Wraps the clients of parts so that they refuse to write when another process may lead. */
function fenced({ client, clientFor }: Clients, fence: Fence | undefined): Clients {
  if (fence === undefined) return { client, clientFor };
  return {
    client: fence.guard(client),
    clientFor: (writer) => {
      const own = clientFor?.(writer);
      return own === undefined ? undefined : fence.guard(own);
    },
  };
}

function isPartIdle({ state, prepared, context }: RunningPart): boolean {
  if (state === 'running') return context.isIdle && (prepared.isIdle ?? true);
  if (state !== 'filling caches') return true;
  return [...context.informers].some(({ hasSynced, health }) => !hasSynced && health.state === 'waiting');
}
