import { formatDuration, type Logger } from '../../base/index.ts';
import {
  hasReason,
  ItemBackoff,
  type Kind,
  type KubernetesObject,
  StatusError,
  WorkQueue,
} from '../../client/index.ts';
import type { ControllerOptions } from '../controller.ts';
import type { AppContext, PreparedPart } from '../part.ts';
import type { ReconcileOutcome, ReconcileRecord } from '../trace.ts';
import { CalmQueue } from './calm-queue.ts';
import { ChangeEars } from './change-ears.ts';
import { DeclaredKinds } from './declared-kinds.ts';
import { EchoFilter } from './echo-filter.ts';
import { ReconcileRun, type RunParts } from './reconcile-run.ts';
import { mergeRequests, type Request } from './request.ts';
import { WorkSignal } from './work-signal.ts';

/** A controller at work: hears of changes, queues the objects they concern, and reconciles them. */
export class ControllerRuntime<T extends KubernetesObject> implements PreparedPart {
  readonly #parts: RunParts<T>;
  readonly #log: Logger;
  readonly #queue: WorkQueue<Request>;
  readonly #changes: CalmQueue;
  readonly #ears: ChangeEars<T>;

  constructor(kind: Kind<T>, options: ControllerOptions<T>, app: AppContext) {
    const { name = kind.plural, finalizer = `${kind.group === '' ? name : kind.group}/${name}` } = options;
    const declared = new DeclaredKinds(kind, options, { name, context: app });
    const recorder = app.events(options.component ?? app.component);
    this.#parts = {
      name,
      kind,
      options,
      finalizer,
      app,
      own: app.objects(kind, options.where),
      declared,
      recorder,
      echoes: new EchoFilter(),
      said: new Map(),
    };
    this.#log = app.log.with({ controller: name });
    this.#queue = new WorkQueue<Request>({
      clock: app.clock,
      keyOf: ({ key }) => key,
      merge: mergeRequests,
      rateLimiter: new ItemBackoff(),
      metrics: app.reconcileMetrics.queue(name, this.#concurrency),
    });
    this.#changes = new CalmQueue(this.#queue, app.clock, mergeRequests);
    this.#ears = new ChangeEars(this.#parts, (request, added) => this.#changes.add(request, added));
  }

  get isIdle(): boolean {
    return this.#ears.pending === 0 && this.#changes.size === 0 && this.#queue.size === 0 && this.#queue.working === 0;
  }

  async run(signal: AbortSignal): Promise<void> {
    const { clock, stopGraceMs } = this.#parts.app;
    using work = new WorkSignal(signal, { clock, graceMs: stopGraceMs });
    const workers = Array.from({ length: this.#concurrency }, () => this.#work(signal, work.signal));
    await Promise.all(workers);
  }

  get #concurrency(): number {
    return this.#parts.options.concurrency ?? 1;
  }

  /** One worker: takes objects until it is to stop. */
  async #work(signal: AbortSignal, workSignal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      let request: Request | undefined;
      try {
        request = await this.#queue.take(signal);
      } catch (error) {
        if (signal.aborted) return;
        throw error;
      }
      if (request === undefined) return;
      await this.#process(request, workSignal);
    }
  }

  async #process(request: Request, signal: AbortSignal): Promise<void> {
    const { name, app } = this.#parts;
    const startedAt = app.clock.now();
    const startedMs = app.clock.monotonic();
    app.reconcileMetrics.begin(name);
    const run = new ReconcileRun(request, this.#parts, signal);
    let outcome: ReconcileOutcome = 'done';
    let failure: { readonly error: unknown } | undefined;
    try {
      await run.run();
      this.#succeeded(request, run.afterMs);
    } catch (error) {
      outcome = outcomeOf(error, signal);
      failure = { error };
      this.#failed(request, outcome, error);
    }
    this.#queue.done(request);
    const durationMs = app.clock.monotonic() - startedMs;
    const { key, why } = request;
    this.#changes.ran(key, durationMs);
    const record: ReconcileRecord = {
      controller: name,
      key,
      why,
      startedAt,
      durationMs,
      outcome,
      writes: run.writes,
      ...failure,
    };
    app.reconcileMetrics.end(record, run.afterMs !== undefined);
    app.trace(record);
  }

  #succeeded(request: Request, afterMs: number | undefined): void {
    this.#queue.forget(request);
    if (afterMs === undefined) return;
    this.#queue.addAfter({ key: request.key, why: [`after ${formatDuration(afterMs)}`] }, afterMs);
  }

  #failed(request: Request, outcome: ReconcileOutcome, error: unknown): void {
    if (outcome === 'stopped') {
      this.#queue.add(request); // whoever goes on begins with it
      return;
    }
    const fields = { object: request.key, failures: this.#queue.failures(request) + 1, error };
    if (outcome === 'conflict') this.#log.debug('object changed meanwhile', fields);
    else this.#log.error('reconcile failed', fields);
    const retry = { key: request.key, why: ['retry'] };
    const retryAfterMs = error instanceof StatusError ? (error.status.details?.retryAfterSeconds ?? 0) * 1000 : 0;
    if (retryAfterMs > 0) this.#queue.addAfter(retry, retryAfterMs);
    else this.#queue.addRateLimited(retry);
  }
}

function outcomeOf(error: unknown, signal: AbortSignal): ReconcileOutcome {
  if (signal.aborted) return 'stopped';
  return hasReason(error, 'Conflict') || hasReason(error, 'NotFound') ? 'conflict' : 'failed';
}
