import { expired, type Status, StatusError } from '../../../api/client.ts';
import { onAbort } from '../../../base/index.ts';
import { type Answer, type Call, inProcessCall, type Interference, servedObject } from '../../../cluster/index.ts';
import { insidesOf } from '../../cluster-insides.ts';
import { refusalOf } from '../../faults/fault-answer.ts';
import type { PastView } from '../../faults/index.ts';
import { type ResourceRequest, resourceRequest } from '../../resource-request.ts';
import type { ExploredProcess, Interception, ProcessSurroundings } from '../explored-process.ts';
import { type AnsweredObject, isWork, isWriteVerb, type JournalRequest, resourceWords } from '../journal.ts';
import { noteAnswer, noteEvent, noteRequest } from '../request-notes.ts';
import type { Activity } from './activity.ts';
import { isElectionLock } from './election-lock.ts';
import type { ProgramIdentity } from './program-identity.ts';
import { sentObject } from './sent-object.ts';
import { SystemProcess, type SystemProcessOptions } from './system-process.ts';

type Next = Parameters<Interference>[1];
type WatchAnswer = Extract<Answer, { readonly type: 'watch' }>;

const FORBIDDEN = 403;

export interface ProgramProcessOptions extends Omit<SystemProcessOptions, 'onEnd'> {
  readonly around: ProcessSurroundings;
  readonly activity: Activity;
  readonly identity: ProgramIdentity;
  /** The state that lists show which take any version, until the process catches up. */
  readonly past: PastView | undefined;
}

/** The operator as a process of the machine: what it asks for passes here, on its way to the server. */
export class ProgramProcess implements ExploredProcess {
  readonly #options: ProgramProcessOptions;
  readonly #system: SystemProcess;
  /** Resources that it watches, with their namespaces. */
  readonly #watched = new Set<string>();
  readonly #lists: JournalRequest[] = [];
  /** The objects by which it leads, and that are released when it is killed, as `RESOURCE NAMESPACE/NAME`. */
  readonly locks = new Set<string>();
  #past: PastView | undefined;
  #isAlive = true;
  #hasAsked = false;
  failure: unknown;

  constructor(options: ProgramProcessOptions) {
    this.#options = options;
    this.#past = options.past;
    const { command, folder, environment } = options;
    this.#system = new SystemProcess({ command, folder, environment, onEnd: (why) => this.#ended(why) });
  }

  get isAlive(): boolean {
    return this.#isAlive;
  }

  /** Whether it has begun to work: it has asked for an object. */
  get hasAsked(): boolean {
    return this.#hasAsked;
  }

  /** What a program tells of its failures is in its logs only. */
  get lastFailure(): undefined {
    return undefined;
  }

  /** Resolves when it is gone, with its connections. */
  get gone(): Promise<void> {
    return this.#system.ended;
  }

  kill(): void {
    this.#isAlive = false;
    this.#system.kill();
    this.catchUp();
  }

  /** To the server it is the same whether a process stands still for good or is killed; a request on its way arrives late. */
  detach(): void {
    this.kill();
  }

  catchUp(): void {
    this.#past?.[Symbol.dispose]();
    this.#past = undefined;
  }

  #ended(why: string): void {
    this.#options.activity.note();
    if (!this.#isAlive) return;
    this.#isAlive = false;
    this.failure = new Error(why);
  }

  /** Answers a request of the process. */
  async arrive(call: Call, next: Next): Promise<Answer> {
    if (!this.#isAlive) return cut(call);
    const request = resourceRequest({ method: call.request.method, path: call.request.uri });
    if (request === undefined) return next(call);
    this.#hasAsked = true;
    if (!isWork(request)) return this.#keepUp(request, call, next);
    using underWay = this.#options.activity.begin();
    if (request.verb === 'watch') return this.#watch(request, call, next);
    const { around } = this.#options;
    const { plane } = insidesOf(around.cluster);
    const body = await sentObject(call, plane);
    const place = placeOf(request);
    const isOfRun = request.verb !== 'list' || !this.#watched.has(place);
    const entry = noteRequest(request, { body, isOfRun }, around);
    if (isElectionLock(body ?? {})) this.#leadBy(entry);
    if (this.locks.has(lockName(entry))) {
      entry.isOfElection = true;
      underWay[Symbol.dispose]();
      return this.#pass(entry, call, next);
    }
    if (request.verb === 'list') this.#lists.push(entry);
    const met = around.intercept(entry);
    const answer = await this.#answered({ call, next, request, entry, met, underWay });
    return this.#isAlive ? answer : cut(call);
  }

  /** Notes a request that was refused before it arrived here. */
  noteRefusal(method: string, path: string): void {
    const request = resourceRequest({ method, path });
    if (request === undefined) return;
    this.#hasAsked = true;
    noteRequest(request, { body: undefined, isOfRun: false }, this.#options.around).code = FORBIDDEN;
  }

  /** Elections and events. */
  async #keepUp(request: ResourceRequest, call: Call, next: Next): Promise<Answer> {
    const { resource, namespace, verb } = request;
    const { around } = this.#options;
    if (resource === 'leases' && isWriteVerb(verb)) {
      const body = await sentObject(call, insidesOf(around.cluster).plane);
      const name = request.name === '' ? ((body as AnsweredObject | undefined)?.metadata?.name ?? '') : request.name;
      this.locks.add(`leases ${namespace}/${name}`);
    }
    const entry = noteRequest(request, { body: undefined, isOfRun: false }, around);
    return this.#pass(entry, call, next);
  }

  /** An object turns out to be for elections only, and so are the requests for it until now. */
  #leadBy(request: JournalRequest): void {
    const lock = lockName(request);
    this.locks.add(lock);
    for (const each of this.#options.around.journal.requests)
      if (lockName(each) === lock && each.verb !== 'list') each.isOfElection = true;
  }

  async #answered({ call, next, request, entry, met, underWay }: MetRequest): Promise<Answer> {
    if (met === undefined) return this.#pass(entry, call, next);
    entry.fault = met.type === 'fail' ? met.error : met.type;
    switch (met.type) {
      case 'kill':
        if (met.when === 'after') await this.#pass(entry, call, () => this.#alone(call)).catch(() => undefined);
        this.kill();
        return cut(call);
      case 'fail': {
        if (met.effect) await this.#pass(entry, call, () => this.#alone(call)).catch(() => undefined);
        if (met.error === 'dropped') return cut(call);
        const refusal = refusalOf({ type: met.error }, request);
        if (refusal?.body.type !== 'object') return cut(call);
        if (!met.effect) entry.code = refusal.status;
        return { type: 'status', status: refusal.body.object as Status };
      }
      case 'meanwhile':
        await met.act();
        return this.#pass(entry, call, next);
      case 'pause':
        this.#system.pause();
        underWay[Symbol.dispose]();
        await met.until;
        return this.#pass(entry, call, () => this.#alone(call));
    }
  }

  async #pass(entry: JournalRequest, call: Call, next: Next): Promise<Answer> {
    const from = this.#past !== undefined && entry.takesAnyVersion ? this.#past : undefined;
    try {
      const answer = await (from === undefined ? next(call) : from.answer(call));
      entry.code = codeOf(answer);
      if (answer.type === 'object')
        noteAnswer(entry, servedObject(answer.object, answer.resource), this.#options.around);
      if (answer.type === 'list')
        noteAnswer(
          entry,
          { items: answer.items.map((item) => servedObject(item, answer.resource)) },
          this.#options.around,
        );
      return answer;
    } catch (error) {
      if (error instanceof StatusError) entry.code = error.code;
      throw error;
    }
  }

  /** Carries a request out whose sender may be gone meanwhile. */
  async #alone({ request }: Call): Promise<Answer> {
    const { around, identity } = this.#options;
    const { plane } = insidesOf(around.cluster);
    const body = request.method === 'GET' ? undefined : await request.body(Number.MAX_SAFE_INTEGER);
    const names = request.headerNames().filter((name) => !name.startsWith(':'));
    const headers = Object.fromEntries(names.map((name) => [name, request.headers(name)]));
    return plane.server.answer(
      inProcessCall({
        method: request.method,
        path: request.uri,
        headers,
        ...(body === undefined ? {} : { body }),
        certificate: { commonName: identity.user, organizations: identity.groups },
        clock: around.cluster.clock,
      }),
    );
  }

  async #watch(request: ResourceRequest, call: Call, next: Next): Promise<Answer> {
    const place = placeOf(request);
    this.#watched.add(place);
    for (const list of this.#lists) if (placeOf(list) === place) list.isOfRun = false; // it fills a cache
    const entry = noteRequest(request, { body: undefined, isOfRun: false }, this.#options.around);
    const answer = await this.#pass(entry, call, next);
    if (answer.type !== 'watch') return answer;
    return { ...answer, events: this.#events(answer.events, request, call) };
  }

  /** Passes events on, one at a time, when watches of the resource are not held. */
  async *#events(batches: WatchAnswer['events'], request: ResourceRequest, call: Call): WatchEvents {
    const { around, activity } = this.#options;
    const resource = resourceWords(request);
    const left = new AbortController();
    call.record.onFinish(() => left.abort());
    for await (const batch of batches) {
      for (const event of batch) {
        const hold = around.held.next(resource);
        if (hold !== undefined) {
          const end = await unlessAborted(hold, left.signal);
          if (end === undefined) return;
          if (end === 'relist') {
            yield [{ type: 'ERROR', status: expired('too old resource version').status }];
            return;
          }
        }
        if ('object' in event && isWork(request) && !isElectionLock(event.object.object)) {
          activity.note();
          noteEvent({ type: event.type, object: event.object.object }, resource, around);
        }
        yield [event];
      }
    }
  }
}

type WatchEvents = AsyncGenerator<WatchAnswer['events'] extends AsyncIterable<infer Batch> ? Batch : never>;

interface MetRequest {
  readonly call: Call;
  readonly next: Next;
  readonly request: ResourceRequest;
  readonly entry: JournalRequest;
  readonly met: Interception | undefined;
  readonly underWay: Disposable;
}

function lockName({ resource, namespace, name }: JournalRequest): string {
  return `${resource} ${namespace}/${name}`;
}

function placeOf({ group, resource, namespace }: Pick<ResourceRequest, 'group' | 'resource' | 'namespace'>): string {
  return `${namespace}/${resource}.${group}`;
}

function codeOf(answer: Answer): number {
  if (answer.type === 'object') return answer.code;
  return answer.type === 'status' ? answer.status.code : 200;
}

/** Gives no answer: the connection breaks. */
function cut(call: Call): Answer {
  call.wire?.cut('The process was killed');
  return { type: 'bytes', code: 503, contentType: '', body: '' }; // never sent
}

/** What a promise resolves to; undefined if the signal aborts before. */
function unlessAborted<T>(waiting: Promise<T>, signal: AbortSignal): Promise<T | undefined> {
  if (signal.aborted) return Promise.resolve(undefined);
  return new Promise((resolve) => {
    const stop = onAbort(signal, () => resolve(undefined));
    void waiting.then((value) => {
      stop[Symbol.dispose]();
      resolve(value);
    });
  });
}
