import { describeError, formatDuration, type Logger } from '../../base/index.ts';
import {
  type Handler,
  type HandlerRegistration,
  hasReason,
  ItemBackoff,
  keyOf,
  type Kind,
  type KubernetesObject,
  type Observed,
  StatusError,
  WorkQueue,
} from '../../client/index.ts';
import type { ControllerOptions, Watch } from '../controller.ts';
import type { AppContext, PreparedPart } from '../part.ts';
import type { ReconcileOutcome, ReconcileRecord } from '../trace.ts';
import { controlledBy } from '../watch.ts';
import { CalmQueue } from './calm-queue.ts';
import { DeclaredKinds } from './declared-kinds.ts';
import { childId } from './desired-children.ts';
import { EchoFilter } from './echo-filter.ts';
import { ReconcileRun, type RunParts } from './reconcile-run.ts';
import { mergeRequests, type Request } from './request.ts';
import { WorkSignal } from './work-signal.ts';

type Change = 'added' | 'changed' | 'deleted';

/** A controller at work: hears of changes, queues the objects they concern, and reconciles them. */
export class ControllerRuntime<T extends KubernetesObject> implements PreparedPart {
  readonly #parts: RunParts<T>;
  readonly #log: Logger;
  readonly #queue: WorkQueue<Request>;
  readonly #changes: CalmQueue;
  readonly #registrations: HandlerRegistration<never>[] = [];

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
    this.#hearOwn();
    for (const watch of options.watches ?? []) this.#hear(watch, { isFiltered: false });
    for (const owned of options.owns ?? []) this.#hear(controlledBy(owned), { isFiltered: true });
  }

  get isIdle(): boolean {
    const isTold = this.#registrations.every(({ pending }) => pending === 0);
    return isTold && this.#changes.size === 0 && this.#queue.size === 0 && this.#queue.working === 0;
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

  #hearOwn(): void {
    const { kind, options, declared, echoes } = this.#parts;
    const hear = (object: Observed<T>, old: Observed<T> | undefined, change: Change, isLowPriority = false): void => {
      const key = keyOf(object);
      const id = childId(kind, key);
      if (change === 'deleted') echoes.forget(id);
      else if (!this.#isRelevant(() => options.isRelevant?.(object, old), kind, key)) return;
      const add = (): void => this.#changes.add({ key, why: [`${kind.kind} ${key} ${change}`] }, { isLowPriority });
      if (change === 'deleted') add();
      else echoes.hear(id, object.metadata, add);
    };
    this.#addHandler(declared.informer(kind, options.where), {
      add: (object, { isInInitialList }) => hear(object, undefined, 'added', isInInitialList),
      update: (object, old) => hear(object, old, 'changed'),
      delete: (object) => hear(object, undefined, 'deleted'),
    });
  }

  /** `isFiltered`: changes that the kit has made itself are of no interest. */
  #hear(watch: Watch, { isFiltered }: { readonly isFiltered: boolean }): void {
    const { declared, echoes } = this.#parts;
    const { kind } = watch;
    const hear = (objects: readonly Observed<KubernetesObject>[], change: Change, isLowPriority = false): void => {
      const [object, old] = objects as [Observed<KubernetesObject>, Observed<KubernetesObject> | undefined];
      const key = keyOf(object);
      const id = childId(kind, key);
      if (!this.#isRelevant(() => watch.isRelevant?.(object, old), kind, key)) return;
      const add = (): void => {
        for (const concerned of this.#keysFor(watch, objects)) {
          this.#changes.add({ key: concerned, why: [`${kind.kind} ${key} ${change}`] }, { isLowPriority });
        }
      };
      if (isFiltered && change !== 'deleted') return echoes.hear(id, object.metadata, add);
      if (isFiltered) echoes.forget(id);
      add();
    };
    this.#addHandler(declared.informer(kind, watch.scope), {
      add: (object, { isInInitialList }) => hear([object], 'added', isInInitialList),
      update: (object, old) => hear([object, old], 'changed'),
      delete: (object) => hear([object], 'deleted'),
    });
  }

  #addHandler<U extends KubernetesObject>(
    informer: { addHandler(handler: Handler<U>, options: { readonly name: string }): HandlerRegistration<U> },
    handler: Handler<U>,
  ): void {
    const registration = informer.addHandler(handler, { name: this.#parts.name });
    this.#registrations.push(registration as unknown as HandlerRegistration<never>);
  }

  /** What a filter that fails cannot rule out is relevant. */
  #isRelevant(ask: () => boolean | undefined, kind: Kind, key: string): boolean {
    try {
      return ask() ?? true;
    } catch (error) {
      this.#log.error('filter failed', { kind: kind.kind, object: key, error: describeError(error) });
      return true;
    }
  }

  #keysFor(watch: Watch, objects: readonly Observed<KubernetesObject>[]): ReadonlySet<string> {
    const keys = new Set<string>();
    const { kind, declared } = this.#parts;
    for (const object of objects) {
      try {
        for (const key of watch.keysFor(object, { kind, objects: (of) => declared.objects(of) })) keys.add(key);
      } catch (error) {
        this.#log.error('watch failed to map', {
          kind: watch.kind.kind,
          object: keyOf(object),
          error: describeError(error),
        });
      }
    }
    return keys;
  }
}

function outcomeOf(error: unknown, signal: AbortSignal): ReconcileOutcome {
  if (signal.aborted) return 'stopped';
  return hasReason(error, 'Conflict') || hasReason(error, 'NotFound') ? 'conflict' : 'failed';
}
