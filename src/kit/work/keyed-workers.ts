import {
  type Clock,
  type Duration,
  formatDuration,
  hasTracer,
  inSpan,
  type Logger,
  millisecondsOf,
  nextTurn,
  type Runnable,
} from '../../base/index.ts';
import { type AddOptions, hasReason, type RateLimiter, StatusError, WorkQueue } from '../../client/index.ts';
import type { ReconcileOutcome, ReconcileRecord } from '../trace.ts';
import { CoalescingQueue } from './coalescing-queue.ts';
import { mergeRequests, type Request } from './request.ts';
import type { RunTracker } from './run-tracker.ts';
import type { WorkMetrics } from './work-metrics.ts';
import { WorkSignal } from './work-signal.ts';
import type { WorkView } from './work-state.ts';

/** The context of the work on a key. */
export interface WorkContext {
  /** The reasons, merged: such as `Pod default/web-1 changed`, `retry`, `after 5m`. */
  readonly why: readonly string[];
  /** How often the work on this key has failed since its last success. */
  readonly failures: number;
  /** Aborts when the app stops, after its grace period, or when it no longer leads. */
  readonly signal: AbortSignal;
  /**
   * Works on the key again after this long (`'5m'`, or milliseconds), or earlier for another reason. The shortest delay
   * counts.
   */
  after(duration: Duration): void;
  /** Counts a write to the server, for the trace. */
  countWrite(): void;
}

export interface KeyedWorkersOptions {
  /** The queue's label in metrics; default the workers' name. */
  readonly queueName?: string;
  /** Maximum number of keys worked on at once; default 1. */
  readonly concurrency?: number;
  /** When failed work is retried; default after 5 ms doubling to 1,000 s, and ten keys a second. */
  readonly rateLimiter?: RateLimiter;
  /** Merges additions that arrive together, or soon after long work on the same key, into one run; default false. */
  readonly isCoalescing?: boolean;
  /**
   * Works on a key. It gets only the key and has to read the current state, because the change that led to it may be
   * outdated. If it throws or returns `again`, it is retried later.
   */
  work(key: string, context: WorkContext): Promise<'again' | void> | 'again' | void;
}

/** How `KeyedWorkers.add` queues a key: with which priority, and why. */
export interface AddKeyOptions extends AddOptions {
  /** The reason for the work, for the trace. */
  readonly why?: string;
}

/** What workers need of their app. */
export interface WorkersParts {
  readonly clock: Clock;
  readonly log: Logger;
  readonly metrics: WorkMetrics;
  readonly stopGraceMs: number;
  /**
   * True if the API server runs in this process: changes by others then arrive at once, so a conflict may be retried at
   * once; default false.
   */
  readonly isLocal?: boolean;
  readonly tracker?: RunTracker | undefined;
  trace(record: ReconcileRecord): void;
}

/** How many failing keys are remembered with their messages. */
const MAX_FAILING = 100;

/** How a run ended. */
type Ending = Pick<ReconcileRecord, 'outcome' | 'error'>;

/** How many conflicts in a row are retried at once. */
const QUICK_RETRIES = 3;
/** Work that waits for nothing, such as a run that asks for the next one at once, leaves time for timers and signals after this many runs. */
const RUNS_PER_TURN = 64;
/** The log message of a failed run. */
export const WORK_FAILED = 'work failed, will be tried again';

/** From this many conflicts in a row on, another writer is in the way for good, and it is reported. */
const LASTING_CONFLICT = 10;

const NO_REASONS: readonly string[] = [];

/**
 * Workers that are given keys, and work on each key's current state.
 *
 * Guarantees: one run at a time for each key, `concurrency` for all. A key that is added while it waits is worked on once;
 * one that is added while it is worked on is worked on again afterwards, so the last run always starts after the last
 * addition.
 */
export class KeyedWorkers implements Runnable {
  readonly name: string;
  readonly #options: KeyedWorkersOptions;
  readonly #parts: WorkersParts;
  readonly #log: Logger;
  readonly #queue: WorkQueue<Request>;
  readonly #changes: CoalescingQueue | undefined;
  /** The number of conflicts in a row, by key. */
  readonly #conflicts = new Map<string, number>();
  /** The last errors of keys that fail, by key. */
  readonly #errors = new Map<string, unknown>();

  constructor(name: string, options: KeyedWorkersOptions, parts: WorkersParts) {
    const { rateLimiter, isCoalescing = false, queueName = name } = options;
    const { clock, log, metrics } = parts;
    this.name = name;
    this.#options = options;
    this.#parts = parts;
    this.#log = log.with({ controller: name });
    this.#queue = new WorkQueue<Request>({
      clock,
      keyOf: ({ key }) => key,
      merge: mergeRequests,
      ...(rateLimiter === undefined ? {} : { rateLimiter }),
      metrics: metrics.queue({ controller: name, queueName }, this.#concurrency),
    });
    this.#changes = isCoalescing ? new CoalescingQueue(this.#queue, clock) : undefined;
  }

  /** True if no key is worked on, or could be before time passes. */
  get isIdle(): boolean {
    const waiting = this.#parts.tracker?.waiting(this) ?? 0;
    const { working, entries } = this.#queue;
    if ((this.#changes?.size ?? 0) > 0 || working !== waiting) return false;
    // a key whose own work waits for time waits for it; others wait only while no worker is free
    for (const { workingSinceMs } of entries.values())
      if (workingSinceMs === undefined) return working >= this.#concurrency;
    return true;
  }

  /** What `workStateOf` reads. */
  get view(): WorkView {
    return { name: this.name, queue: this.#queue, held: this.#changes?.size ?? 0, errors: this.#errors };
  }

  add(key: string, options: AddKeyOptions = {}): void {
    (this.#changes ?? this.#queue).add(this.#request(key, options), options);
  }

  /** Adds the key after a delay; an earlier time that is already planned is kept. */
  addAfter(key: string, ms: number, options: Pick<AddKeyOptions, 'why'> = {}): void {
    this.#queue.addAfter(this.#request(key, options), ms);
  }

  /** Adds the key when the rate limiter allows, as after a failure. */
  retry(key: string): void {
    this.#queue.addRateLimited(this.#request(key, { why: 'retry' }));
  }

  /** Cancels a delayed addition; returns whether there was one. */
  cancelDelayed(key: string): boolean {
    return this.#queue.cancelDelayed({ key, why: NO_REASONS });
  }

  /** Works until the signal aborts, and then finishes the work in progress. Callable once. */
  async run(signal: AbortSignal): Promise<void> {
    const { clock, stopGraceMs } = this.#parts;
    using work = new WorkSignal(signal, { clock, graceMs: stopGraceMs });
    await Promise.all(Array.from({ length: this.#concurrency }, () => this.#worker(signal, work.signal)));
    this.#queue.shutDown();
  }

  get #concurrency(): number {
    return this.#options.concurrency ?? 1;
  }

  async #worker(signal: AbortSignal, workSignal: AbortSignal): Promise<void> {
    for (let runs = 1; !signal.aborted; runs++) {
      const request = await this.#queue.take(signal).catch(() => undefined); // aborted
      if (request === undefined) return;
      await this.#process(request, workSignal);
      if (runs % RUNS_PER_TURN === 0) await nextTurn();
    }
  }

  async #process(request: Request, signal: AbortSignal): Promise<void> {
    const { clock, metrics, trace, tracker } = this.#parts;
    const { name } = this;
    const { key, why, causes = [] } = request;
    const startedAt = clock.now();
    const startedMs = clock.monotonic();
    metrics.begin(name);
    const run = new Run(why, this.#queue.failures(request), signal);
    const attempt = (): Promise<Ending> => (hasTracer() ? this.#attemptTraced(key, run) : this.#attempt(key, run));
    const tracked =
      tracker?.isOn === true ? tracker.begin({ workers: this, controller: name, key, why, causes }) : undefined;
    const { outcome, ...failure } = await (tracker === undefined || tracked === undefined
      ? attempt()
      : tracker.during(tracked, attempt));
    const plan = (): void => this.#plan(request, run, { outcome, ...failure });
    if (tracker === undefined || tracked === undefined) plan();
    else tracker.telling({ type: 'run', id: tracked.id }, plan);
    this.#queue.done(request);
    const durationMs = clock.monotonic() - startedMs;
    this.#changes?.worked(key, durationMs);
    const { writes } = run;
    const record = { controller: name, key, why, startedAt, durationMs, outcome, writes, ...failure };
    metrics.end(record, run.afterMs !== undefined);
    trace(record);
    if (tracked !== undefined) tracker?.onEnd?.(tracked, record);
  }

  #request(key: string, { why }: Pick<AddKeyOptions, 'why'>): Request {
    const cause = this.#parts.tracker?.cause;
    return { key, why: why === undefined ? NO_REASONS : [why], ...(cause === undefined ? {} : { causes: [cause] }) };
  }

  async #attempt(key: string, run: Run): Promise<Ending> {
    try {
      return { outcome: (await this.#options.work(key, run)) ?? 'done' };
    } catch (error) {
      return { outcome: outcomeOf(error, run.signal), error };
    }
  }

  /** Runs in a span that is the parent of the spans of its requests. */
  #attemptTraced(key: string, run: Run): Promise<Ending> {
    const attributes = { 'keelson.controller': this.name, 'keelson.key': key, 'keelson.why': run.why };
    return inSpan(`reconcile ${this.name}`, { attributes }, async (span) => {
      const ending = await this.#attempt(key, run);
      span.set({ 'keelson.outcome': ending.outcome, 'keelson.writes': run.writes });
      if (ending.outcome === 'failed') span.failed(ending.error);
      return ending;
    });
  }

  #plan(request: Request, run: Run, { outcome, error }: Ending): void {
    const { key } = request;
    if (outcome === 'stopped') return;
    if (outcome === 'done') {
      this.#queue.forget(request);
      this.#conflicts.delete(key);
      this.#errors.delete(key);
      if (run.afterMs !== undefined) this.addAfter(key, run.afterMs, { why: `after ${formatDuration(run.afterMs)}` });
      return;
    }
    const fields = { object: key, failures: run.failures + 1, error };
    if (outcome === 'failed' && this.#errors.size < MAX_FAILING) this.#errors.set(key, error);
    if (outcome === 'failed') this.#log.error(WORK_FAILED, fields);
    else if (outcome === 'conflict' && fields.failures >= LASTING_CONFLICT) this.#log.warn(WORK_FAILED, fields);
    else if (outcome === 'conflict') this.#log.debug('object changed meanwhile', fields);
    const retryAfterMs = error instanceof StatusError ? (error.status.details?.retryAfterSeconds ?? 0) * 1000 : 0;
    if (retryAfterMs > 0 || this.#isPassing(key, outcome)) this.addAfter(key, retryAfterMs, { why: 'retry' });
    else this.retry(key);
  }

  /** Whether to retry at once, because the cache will have the conflicting change in a moment. */
  #isPassing(key: string, outcome: ReconcileOutcome): boolean {
    if (outcome !== 'conflict' || this.#parts.isLocal !== true) return false;
    const conflicts = (this.#conflicts.get(key) ?? 0) + 1;
    this.#conflicts.set(key, conflicts);
    return conflicts <= QUICK_RETRIES;
  }
}

/** One run of the work on a key. Its methods are bound, because workers destructure it. */
class Run implements WorkContext {
  readonly why: readonly string[];
  readonly failures: number;
  readonly signal: AbortSignal;
  writes = 0;
  afterMs: number | undefined;

  constructor(why: readonly string[], failures: number, signal: AbortSignal) {
    this.why = why;
    this.failures = failures;
    this.signal = signal;
  }

  readonly after = (duration: Duration): void => {
    const ms = millisecondsOf(duration);
    if (!(ms >= 0 && ms < Infinity)) throw new RangeError(`Cannot look again after ${formatAny(duration)}`);
    this.afterMs = Math.min(ms, this.afterMs ?? Infinity);
  };

  readonly countWrite = (): void => void (this.writes += 1);
}

function outcomeOf(error: unknown, signal: AbortSignal): ReconcileOutcome {
  if (signal.aborted) return 'stopped';
  return hasReason(error, 'Conflict') || hasReason(error, 'NotFound') ? 'conflict' : 'failed';
}

function formatAny(duration: string | number): string {
  if (typeof duration === 'string') return `"${duration}"`;
  return Number.isFinite(duration) ? formatDuration(duration) : String(duration);
}
