import type { RunCause } from '../../kit/index.ts';
import type { TraceNode } from './trace-node.ts';
import type { RecordedEvent, RecordedRequest, RecordedRun } from './recorded.ts';

export interface Recorded {
  readonly requests: readonly RecordedRequest[];
  readonly runs: readonly RecordedRun[];
  readonly events: readonly RecordedEvent[];
}

/** Resources that only show the machinery. */
const NOISE = new Set(['events', 'leases']);

type Entry = RecordedRequest | RecordedRun;

/**
 * Puts each request and run below its cause. Runs that did nothing, and requests for events and leases, only with
 * `all`.
 */
export function causeTree(recorded: Recorded, { all = false }: { readonly all?: boolean } = {}): readonly TraceNode[] {
  const writes = new WritesOfRevisions(recorded);
  const runs = new Map(recorded.runs.map((run) => [run.id, run]));
  const children = new Map<Entry | undefined, Entry[]>();
  for (const entry of inOrder([...recorded.requests, ...recorded.runs])) {
    const above = entry.type === 'run' ? causeOfRun(entry, runs, writes) : causeOfRequest(entry, runs, writes);
    const siblings = children.get(above);
    if (siblings === undefined) children.set(above, [entry]);
    else siblings.push(entry);
  }
  const isShown = (entry: Entry, below: readonly TraceNode[]): boolean => {
    if (all || below.length > 0) return true;
    if (entry.type === 'run') return entry.outcome === 'failed' || entry.outcome === 'conflict';
    return !NOISE.has(entry.resource);
  };
  const made = new Map<Entry, TraceNode | undefined>();
  // causes have lower orders than their effects, so parents are made first
  for (const entry of inOrder([...recorded.requests, ...recorded.runs]).reverse()) {
    const below = (children.get(entry) ?? []).flatMap((child) => made.get(child) ?? []);
    made.set(entry, isShown(entry, below) ? nodeOf(entry, below) : undefined);
  }
  return (children.get(undefined) ?? []).flatMap((root) => made.get(root) ?? []);
}

function inOrder(entries: readonly Entry[]): Entry[] {
  return [...entries].sort((left, right) => left.order - right.order);
}

function nodeOf(entry: Entry, children: readonly TraceNode[]): TraceNode {
  const { atMs } = entry;
  const message = entry.message === undefined ? {} : { message: entry.message };
  if (entry.type === 'run') {
    const { controller, key, outcome } = entry;
    const why = entry.why.length > 0 ? entry.why : entry.causes.flatMap(wordsOf);
    return { type: 'run', atMs, controller, key, why, outcome, ...message, children };
  }
  const { user, program, verb, resource, key, code, fault } = entry;
  const struck = fault === undefined ? {} : { fault };
  return { type: 'write', atMs, user, program, verb, resource, key, code, ...message, ...struck, children };
}

/** The cause of workers that do not report one. */
function wordsOf(cause: RunCause): readonly string[] {
  return cause.type === 'run' ? [] : [`${cause.kind} ${cause.key} ${cause.change}`];
}

function causeOfRun(
  run: RecordedRun,
  runs: ReadonlyMap<string, RecordedRun>,
  writes: WritesOfRevisions,
): Entry | undefined {
  const tracker = run.id.slice(0, run.id.indexOf('/'));
  for (const cause of run.causes) {
    const found = cause.type === 'run' ? runs.get(`${tracker}/${cause.id}`) : writes.of(cause.resourceVersion);
    if (found !== undefined && found.order < run.order) return found;
  }
  return undefined;
}

function causeOfRequest(
  request: RecordedRequest,
  runs: ReadonlyMap<string, RecordedRun>,
  writes: WritesOfRevisions,
): Entry | undefined {
  if (request.run !== undefined) return runs.get(request.run);
  return request.isOfTest ? undefined : writes.lastReceivedBefore(request);
}

/** Finds the request that made a revision. */
class WritesOfRevisions {
  readonly #byRevision = new Map<string, RecordedRequest>();
  readonly #received = new Map<string, RecordedEvent[]>();

  constructor({ requests, events }: Recorded) {
    const unowned = new Map<string, RecordedRequest[]>();
    for (const request of inOrder(requests) as RecordedRequest[]) {
      const { resourceVersion, code } = request;
      if (code === 0 || code >= 400) continue;
      if (resourceVersion !== undefined && !this.#byRevision.has(resourceVersion))
        this.#byRevision.set(resourceVersion, request);
      else append(unowned, request.objectId, request);
    }
    for (const event of events) {
      append(this.#received, receiverKey(event), event);
      if (this.#byRevision.has(event.resourceVersion)) continue;
      // responses to deletions and bindings do not contain the new revision
      const maker = unowned.get(event.objectId)?.findLast(({ order }) => order < event.order);
      const many = unowned.get(collectionOf(event.objectId))?.findLast(({ order }) => order < event.order);
      const made = maker ?? many;
      if (made !== undefined) this.#byRevision.set(event.resourceVersion, made);
    }
  }

  of(resourceVersion: string): RecordedRequest | undefined {
    return this.#byRevision.get(resourceVersion);
  }

  /** The last change of the same object that the program received before it sent the request. */
  lastReceivedBefore(request: RecordedRequest): RecordedRequest | undefined {
    const events = this.#received.get(receiverKey(request)) ?? [];
    const last = events.findLast(({ order }) => order < request.order);
    const made = last === undefined ? undefined : this.of(last.resourceVersion);
    return made !== undefined && made.order < request.order ? made : undefined;
  }
}

function receiverKey({ program, objectId }: { readonly program: string; readonly objectId: string }): string {
  return `${program} ${objectId}`;
}

function collectionOf(objectId: string): string {
  return objectId.slice(0, objectId.indexOf('/') + 1);
}

function append<T>(lists: Map<string, T[]>, key: string, item: T): void {
  const list = lists.get(key);
  if (list === undefined) lists.set(key, [item]);
  else list.push(item);
}
