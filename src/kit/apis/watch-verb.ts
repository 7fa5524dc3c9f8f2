import {
  type ApiObject,
  badRequest,
  booleanParameter,
  internalError,
  listOptions,
  type ListOptions,
  StatusError,
} from '../../api/index.ts';
import { AbortScope, type Clock } from '../../base/index.ts';
import type { KubernetesObject } from '../../client/index.ts';
import type { ApiAnswer } from './api-call.ts';
import type { ApiChange } from './api-storage.ts';
import { type Selection, selectionOf, selectors } from './selection.ts';
import { outgoing } from './served-kind.ts';
import { partialMetadata } from './table.ts';
import { storageContext, type VerbContext } from './verb-context.ts';

/** The default timeout of watches, so that clients reconnect and spread over the servers. */
const DEFAULT_SECONDS = 1800;
const MAX_SECONDS = 24 * 3600;
/** How often clients that allow bookmarks get one. */
const BOOKMARK_MS = 60_000;

/**
 * GET a collection with `watch=true`: one JSON object a line per change, until the client disconnects or the timeout ends
 * it.
 */
export async function watch(context: VerbContext): Promise<ApiAnswer> {
  const { target, served } = context;
  const options = listOptions(target.query, true);
  const selects = selectionOf(options, served, target.namespace);
  const { timeoutSeconds = DEFAULT_SECONDS } = options;
  if (timeoutSeconds < 0) throw badRequest('timeoutSeconds: must not be negative');
  const from = startOf(options);
  const body = lines(context, {
    selects,
    from,
    timeoutMs: Math.min(timeoutSeconds || DEFAULT_SECONDS, MAX_SECONDS) * 1000,
  });
  return { status: 200, headers: { 'content-type': 'application/json' }, body };
}

interface Start {
  /** Undefined to start with all existing objects. */
  readonly resourceVersion?: string;
  /** Whether a bookmark marks the end of the initial objects. */
  readonly marksInitialEnd: boolean;
}

function startOf({ resourceVersion, sendInitialEvents: marksInitialEnd = false }: ListOptions): Start {
  if (marksInitialEnd || resourceVersion === '' || resourceVersion === '0') return { marksInitialEnd };
  return { resourceVersion, marksInitialEnd };
}

interface WatchOptions {
  readonly selects: Selection;
  readonly from: Start;
  readonly timeoutMs: number;
}

async function* lines(context: VerbContext, { selects, from, timeoutMs }: WatchOptions): AsyncGenerator<string> {
  const { call, target, served, clock } = context;
  using scope = new AbortScope(call.signal);
  using _timeUp = clock.timer(timeoutMs, () => scope.abort(new Error('the time of the watch is up')));
  const events = new EventLines(context);
  const wantsBookmarks = booleanParameter(target.query, 'allowWatchBookmarks');
  const { resourceVersion } = from;
  try {
    const changes: AsyncIterable<ApiChange<KubernetesObject>> | undefined = served.resource.watch?.({
      ...selectors(target.query),
      ...storageContext(context),
      signal: scope.signal,
      ...(resourceVersion === undefined ? {} : { resourceVersion }),
    });
    let isInitial = resourceVersion === undefined;
    for await (const change of withTicks(changes ?? [], clock, scope.signal)) {
      if (change === 'tick') {
        if (wantsBookmarks) yield* events.bookmark();
      } else if (change.type === 'BOOKMARK') {
        events.passed(change.resourceVersion);
        const endsInitial = isInitial && from.marksInitialEnd;
        isInitial = false;
        if (wantsBookmarks || endsInitial) yield* events.bookmark(endsInitial);
      } else {
        yield* events.change(change, selects);
      }
    }
  } catch (error) {
    if (scope.signal.aborted) return;
    const { status } = error instanceof StatusError ? error : internalError(error);
    yield `${JSON.stringify({ type: 'ERROR', object: status })}\n`;
  }
}

/** Formats changes for one client: filtered, and in the representation that it asked for. */
class EventLines {
  readonly #context: VerbContext;
  #seen = '';
  #reported = '';
  #hasColumns = true;

  constructor(context: VerbContext) {
    this.#context = context;
  }

  passed(resourceVersion: string): void {
    this.#seen = resourceVersion;
  }

  *change(change: Exclude<ApiChange<KubernetesObject>, { type: 'BOOKMARK' }>, selects: Selection): Iterable<string> {
    const { object, old } = change;
    this.#seen = object.metadata?.resourceVersion ?? this.#seen;
    const fits = selects(object);
    const fitted = old === undefined ? fits : selects(old);
    const type =
      change.type === 'MODIFIED' && fits !== fitted ? (fits ? 'ADDED' : 'DELETED') : fits ? change.type : undefined;
    if (type === undefined) return;
    this.#reported = this.#seen;
    yield this.#line(type, this.#shown(outgoing(object, this.#context.served)));
  }

  /** A bookmark with the current version; nothing if the client has that version already. */
  *bookmark(endsInitial = false): Iterable<string> {
    if (!endsInitial && (this.#seen === '' || this.#seen === this.#reported)) return;
    this.#reported = this.#seen;
    const { kind, apiVersion } = this.#context.served;
    const annotations = endsInitial ? { annotations: { 'k8s.io/initial-events-end': 'true' } } : {};
    const object: ApiObject = { kind, apiVersion, metadata: { resourceVersion: this.#seen, ...annotations } };
    yield this.#line('BOOKMARK', this.#context.form === 'object' ? object : this.#shown(object));
  }

  #shown(object: ApiObject): unknown {
    const { form, tables, target, clock } = this.#context;
    if (form === 'object') return object;
    if (form === 'PartialObjectMetadata') return partialMetadata(object);
    const hasColumns = this.#hasColumns;
    this.#hasColumns = false;
    const { resourceVersion } = object.metadata;
    return tables.table([object], { resourceVersion }, { query: target.query, now: clock.now(), hasColumns });
  }

  #line(type: string, object: unknown): string {
    return `${JSON.stringify({ type, object })}\n`;
  }
}

/** The changes, with a tick whenever a bookmark is due. */
async function* withTicks<T>(
  changes: AsyncIterable<T> | Iterable<T>,
  clock: Clock,
  signal: AbortSignal,
): AsyncGenerator<T | 'tick'> {
  const source = (async function* () {
    yield* changes;
  })();
  using stop = new AbortScope(signal);
  let next = source.next();
  let tick = clock.sleep(BOOKMARK_MS, stop.signal);
  try {
    while (!signal.aborted) {
      const result = await Promise.race([next, tick.then((): 'tick' => 'tick')]);
      if (signal.aborted) return;
      if (result === 'tick') {
        tick = clock.sleep(BOOKMARK_MS, stop.signal);
        yield 'tick';
        continue;
      }
      if (result.done === true) return;
      yield result.value;
      next = source.next();
    }
  } finally {
    stop.abort(new Error('the watch has ended'));
    next.catch(() => undefined); // the watch is over: its failure does not matter
    void source.return(undefined).catch(() => undefined);
  }
}
