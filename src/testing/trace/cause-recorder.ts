import { type Clock, messageOf } from '../../base/index.ts';
import type { Transport, TransportEvent, TransportRequest, TransportResponse } from '../../client/index.ts';
import type { ReconcileRecord, RunTracker, TrackedRun } from '../../kit/index.ts';
import { FAULT_HEADER } from '../faults/fault-answer.ts';
import { programOf } from '../faults/fault-transport.ts';
import { isWrite, type ResourceRequest, resourceRequest } from '../resource-request.ts';
import { CauseTrace } from './cause-trace.ts';
import { causeTree } from './cause-tree.ts';
import { objectIdOf, type RecordedEvent, type RecordedRequest, type RecordedRun } from './recorded.ts';

/** Maximum number of kept requests, runs and events; beyond it the oldest tenth is dropped. */
const CAPACITY = 20_000;

export interface RecordedClient {
  readonly user: string;
  /** The client of the test itself. */
  readonly isOfTest: boolean;
}

/** Records the writes in a cluster, their users and the runs that made them. */
export class CauseRecorder {
  readonly #clock: Clock;
  readonly #trackers: ReadonlyMap<string, RunTracker>;
  #requests: RecordedRequest[] = [];
  #runs = new Map<string, RecordedRun>();
  #events: RecordedEvent[] = [];
  #order = 0;
  #startMs: number;
  #forgotten = 0;

  /** `trackers`: the trackers of runs by name. */
  constructor(clock: Clock, trackers: ReadonlyMap<string, RunTracker>) {
    this.#clock = clock;
    this.#trackers = trackers;
    this.#startMs = clock.now();
    for (const [name, tracker] of trackers)
      tracker.onEnd = (run, record) => this.#ended(this.#noteRun(name, run), record);
  }

  /** Drops all records and starts the trace's time again. */
  clear(): void {
    this.#requests = [];
    this.#runs = new Map();
    this.#events = [];
    this.#forgotten = 0;
    this.#startMs = this.#clock.now();
  }

  trace(options: { readonly all?: boolean } = {}): CauseTrace {
    const recorded = { requests: this.#requests, runs: [...this.#runs.values()], events: this.#events };
    return new CauseTrace(causeTree(recorded, options), this.#forgotten);
  }

  /** Records the requests of a client's transport. */
  wrap(inner: Transport, client: RecordedClient): Transport {
    return {
      ...(inner.isLocal === undefined ? {} : { isLocal: inner.isLocal }),
      send: (request) => this.#send(inner, request, client),
      [Symbol.asyncDispose]: () => inner[Symbol.asyncDispose](),
    };
  }

  async #send(inner: Transport, sent: TransportRequest, client: RecordedClient): Promise<TransportResponse> {
    const request = resourceRequest(sent);
    if (request === undefined) return inner.send(sent);
    const note = this.#begin(sent, request, client);
    try {
      const response = await inner.send(sent);
      const { body, status } = response;
      if (request.verb === 'watch' && body.type === 'events') {
        const batches = this.#watched(body.batches, request, note.program);
        return { ...response, body: { type: 'events', batches } };
      }
      if (request.verb === 'list' && body.type === 'object') this.#noteList(body.object, request, note.program);
      if (!isWrite(request) && status < 500 && response.headers[FAULT_HEADER] === undefined) return response;
      const readable = status < 400 ? response : await readRefusal(response);
      this.#note(note, readable);
      return readable;
    } catch (error) {
      if (!sent.signal.aborted) this.#push({ ...note, code: 0, message: messageOf(error) });
      throw error;
    }
  }

  #begin(sent: TransportRequest, request: ResourceRequest, client: RecordedClient): RecordedRequest {
    const { verb, resource, subresource, namespace } = request;
    const name = request.name === '' && verb === 'create' ? nameIn(sent.body) : request.name;
    const run = this.#currentRun(); // recorded before its request
    return {
      type: 'write',
      order: this.#next(),
      atMs: this.#now(),
      user: client.user,
      program: programOf(sent),
      verb,
      resource: subresource === '' ? resource : `${resource}/${subresource}`,
      key: namespace === '' ? name : `${namespace}/${name}`,
      objectId: objectIdOf(request, namespace, name),
      code: 0,
      run,
      resourceVersion: undefined,
      isOfTest: client.isOfTest,
    };
  }

  #note(note: RecordedRequest, { status, headers, body }: TransportResponse): void {
    const said = body.type === 'object' ? body.object : undefined;
    const answer = typeof said === 'string' ? { message: said.trim() } : (said as Answered | null | undefined);
    const fault = headers[FAULT_HEADER];
    const name = answer?.metadata?.name;
    const isNamed = note.verb === 'create' && name !== undefined && status < 300 && !note.resource.includes('/');
    this.#push({
      ...note,
      ...(isNamed ? renamed(note, name) : {}),
      code: status,
      ...(status < 400 || answer?.message === undefined ? {} : { message: answer.message }),
      ...(typeof fault === 'string' ? { fault } : {}),
      resourceVersion: status < 300 && answer?.kind !== 'Status' ? answer?.metadata?.resourceVersion : undefined,
    });
  }

  #push(request: RecordedRequest): void {
    this.#requests.push(request);
    if (this.#requests.length <= CAPACITY) return;
    this.#requests = this.#requests.slice(CAPACITY / 10);
    this.#forgotten += CAPACITY / 10;
  }

  async *#watched(
    batches: AsyncIterable<readonly TransportEvent[]>,
    request: ResourceRequest,
    program: string,
  ): AsyncGenerator<readonly TransportEvent[]> {
    for await (const batch of batches) {
      for (const event of batch) if ('object' in event) this.#noteEvent(event.object as Answered, request, program);
      yield batch;
    }
  }

  /** A list shows a new watcher the changes so far. */
  #noteList(list: unknown, request: ResourceRequest, program: string): void {
    const { items = [] } = list as { readonly items?: readonly Answered[] };
    for (const item of items) this.#noteEvent(item, request, program);
  }

  #noteEvent({ metadata }: Answered, request: ResourceRequest, program: string): void {
    const { namespace = '', name = '', resourceVersion = '' } = metadata ?? {};
    const objectId = objectIdOf(request, namespace, name);
    this.#events.push({ order: this.#next(), program, objectId, resourceVersion });
    if (this.#events.length > 2 * CAPACITY) this.#events = this.#events.slice(CAPACITY / 5);
  }

  #currentRun(): string | undefined {
    for (const [name, tracker] of this.#trackers) {
      const { current } = tracker;
      if (current !== undefined) return this.#noteRun(name, current).id;
    }
    return undefined;
  }

  #noteRun(tracker: string, { id, controller, key, why, causes }: TrackedRun): RecordedRun {
    const ownId = `${tracker}/${id}`;
    const known = this.#runs.get(ownId);
    if (known !== undefined) return known;
    const place = { order: this.#next(), atMs: this.#now(), outcome: undefined };
    const run: RecordedRun = { type: 'run', id: ownId, controller, key, why, causes, ...place };
    this.#runs.set(ownId, run);
    if (this.#runs.size > CAPACITY)
      for (const oldest of [...this.#runs.keys()].slice(0, CAPACITY / 10)) this.#runs.delete(oldest);
    return run;
  }

  #ended(run: RecordedRun, { outcome, error }: ReconcileRecord): void {
    run.outcome = outcome;
    if (error !== undefined) run.message = messageOf(error);
  }

  #next(): number {
    this.#order += 1;
    return this.#order;
  }

  #now(): number {
    return this.#clock.now() - this.#startMs;
  }
}

/** Reads an error response, which is short, as an object if it is one. */
async function readRefusal(response: TransportResponse): Promise<TransportResponse> {
  const { body } = response;
  if (body.type !== 'bytes') return response;
  const chunks: Uint8Array[] = [];
  for await (const chunk of body.chunks) chunks.push(chunk);
  const text = Buffer.concat(chunks).toString();
  try {
    return { ...response, body: { type: 'object', object: JSON.parse(text) as unknown } };
  } catch {
    return { ...response, body: { type: 'object', object: text } }; // the answer of an overloaded server
  }
}

/** The fields of a returned object that a trace needs. */
interface Answered {
  readonly kind?: string;
  readonly message?: string;
  readonly metadata?: { readonly name?: string; readonly namespace?: string; readonly resourceVersion?: string };
}

/** A request that created an object, once the object's name is known. */
function renamed({ key, objectId }: RecordedRequest, name: string): Pick<RecordedRequest, 'key' | 'objectId'> {
  const slash = key.indexOf('/');
  return {
    key: slash < 0 ? name : `${key.slice(0, slash)}/${name}`,
    objectId: `${objectId.slice(0, objectId.indexOf('/') + 1)}${name}`,
  };
}

/** The name in a request body; empty when the server generates it. */
function nameIn(body: TransportRequest['body']): string {
  try {
    const { metadata } = JSON.parse(typeof body === 'string' ? body : Buffer.from(body ?? '').toString()) as Answered;
    return metadata?.name ?? '';
  } catch {
    return ''; // protobuf, or invalid, which the server will report
  }
}
