import { expired } from '../../api/client.ts';
import { onAbort } from '../../base/index.ts';
import {
  type Transport,
  TransportError,
  type TransportEvent,
  type TransportRequest,
  type TransportResponse,
} from '../../client/index.ts';
import type { App } from '../../kit/index.ts';
import { insidesOf, type LaunchedApp } from '../cluster-insides.ts';
import { refusalOf } from '../faults/fault-answer.ts';
import type { PastView } from '../faults/index.ts';
import { type ResourceRequest, resourceRequest } from '../resource-request.ts';
import type { ExploredProcess, Interception, ProcessSurroundings } from './explored-process.ts';
import {
  type AnsweredObject,
  isWork,
  isWriteVerb,
  type JournalCall,
  type JournalRequest,
  resourceWords,
} from './journal.ts';
import { ProcessRuns } from './process-runs.ts';
import { noteAnswer, noteEvent, noteRequest, nowIn } from './request-notes.ts';

const FAULT_WORDS = 'an injected fault';
const ADMIN = { user: 'kubernetes-admin', groups: ['system:masters'] };

/** The operator, as a process that can be killed anywhere, paused, and shown an old state. */
export class OperatorProcess implements ExploredProcess {
  readonly app: App;
  readonly #around: ProcessSurroundings;
  readonly #end = new AbortController();
  readonly #launched: LaunchedApp;
  readonly #runs: ProcessRuns;
  readonly #killed: Promise<never>;
  #markKilled: () => void = () => undefined;
  #past: PastView | undefined;
  #pause: Promise<void> | undefined;
  #isAlive = true;
  /** Why the app ended by itself. */
  failure: unknown;

  /** Starts the process. With `past`, its lists show that state until `catchUp`. */
  constructor(
    makeApp: (process: OperatorProcess) => App,
    around: ProcessSurroundings,
    { past }: { readonly past?: PastView } = {},
  ) {
    this.#around = around;
    this.#past = past;
    this.#killed = new Promise((_, reject) => (this.#markKilled = () => reject(new Error('The process was killed'))));
    this.#killed.catch(() => undefined); // only runs wait for it
    this.app = makeApp(this);
    const insides = insidesOf(around.cluster);
    this.#runs = new ProcessRuns(insides.tracker, this.#killed);
    this.#launched = insides.launch(this.app, {
      wrapTransport: (inner) => this.#transport(inner),
      tracker: this.#runs,
      signal: this.#end.signal,
      onFailure: (error) => this.#failed(error),
    });
  }

  get isAlive(): boolean {
    return this.#isAlive;
  }

  get lastFailure(): string | undefined {
    return this.#runs.lastFailure;
  }

  /** Ends the process as `kill -9` does: none of its code gets another answer. */
  kill(): void {
    if (!this.#isAlive) return;
    this.#isAlive = false;
    this.#launched.forget();
    this.#end.abort(new TransportError('closed', 'The process was killed'));
    this.#markKilled();
    this.#past?.[Symbol.dispose]();
  }

  /** It stands still: `settle` does not wait for it any more. */
  detach(): void {
    this.#launched.forget();
  }

  /** Lists show the present from now on. */
  catchUp(): void {
    this.#past?.[Symbol.dispose]();
    this.#past = undefined;
  }

  /** Runs a call of the operator to the outside. */
  call(name: string, given: readonly unknown[], act: () => unknown): unknown {
    if (!this.#isAlive) return never();
    const { journal, intercept } = this.#around;
    const request = this.#around.names.plain(`call ${name}(${argumentWords(given)})`);
    const made: JournalCall = {
      type: 'call',
      request,
      nth: journal.count(request),
      ...nowIn(this.#around),
      fault: undefined,
    };
    const entry = journal.add(made);
    const met = intercept(entry);
    if (met === undefined) return this.#kept(act());
    entry.fault = met.type;
    if (met.type === 'kill' && met.when === 'before') {
      this.kill();
      return never();
    }
    if (met.type === 'kill') {
      act();
      this.kill();
      return never();
    }
    if (met.type === 'fail') {
      const failed = (): never => {
        throw new Error(`${name}: ${FAULT_WORDS}`);
      };
      return met.effect ? Promise.resolve(act()).then(failed) : Promise.reject(new Error(`${name}: ${FAULT_WORDS}`));
    }
    if (met.type === 'meanwhile') return this.#standStill(Promise.resolve(met.act())).then(() => this.#kept(act()));
    return this.#paused(met.until).then(() => this.#kept(act()));
  }

  /** Stands still in the middle of a request or call, and with it the whole process. */
  #paused(until: Promise<void>): Promise<void> {
    this.#pause = until.then(() => void (this.#pause = undefined));
    return this.#standStill(this.#pause);
  }

  /** An answer that reaches the process only while it lives. */
  #kept(answer: unknown): unknown {
    if (!(answer instanceof Promise)) return answer;
    return answer.then((value: unknown) => (this.#isAlive ? value : never()));
  }

  #failed(error: unknown): void {
    if (!this.#isAlive) return;
    this.failure = error;
    this.#isAlive = false;
    this.#launched.forget();
    this.#markKilled();
  }

  #transport(inner: Transport): Transport {
    return {
      ...(inner.isLocal === undefined ? {} : { isLocal: inner.isLocal }),
      send: (request) => this.#send(inner, request),
      [Symbol.asyncDispose]: () => inner[Symbol.asyncDispose](),
    };
  }

  async #send(inner: Transport, sent: TransportRequest): Promise<TransportResponse> {
    if (!this.#isAlive) return never();
    if (this.#pause !== undefined) await this.#standStill(this.#pause);
    const request = resourceRequest(sent);
    if (request === undefined) return inner.send(sent);
    if (request.verb === 'watch') return this.#watch(await inner.send(sent), request);
    const isOfRun = insidesOf(this.#around.cluster).tracker.current !== undefined;
    const entry = noteRequest(request, { body: bodyOf(sent), isOfRun }, this.#around);
    const isMoment = isWork(request) && (entry.isOfRun || isWriteVerb(request.verb));
    const met = isMoment ? this.#around.intercept(entry) : undefined;
    const response = await this.#answered(inner, { sent, request, entry, met });
    if (!this.#isAlive) return never();
    return response;
  }

  async #answered(
    inner: Transport,
    {
      sent,
      request,
      entry,
      met,
    }: { sent: TransportRequest; request: ResourceRequest; entry: JournalRequest; met: Interception | undefined },
  ): Promise<TransportResponse> {
    if (met === undefined) return this.#pass(inner, sent, entry);
    entry.fault = met.type === 'fail' ? met.error : met.type;
    switch (met.type) {
      case 'kill':
        if (met.when === 'after') await this.#pass(inner, sent, entry);
        this.kill();
        return never();
      case 'fail': {
        if (met.effect) await this.#pass(inner, sent, entry);
        entry.code = met.error === 'dropped' ? 0 : entry.code;
        const refusal = met.error === 'dropped' ? undefined : refusalOf({ type: met.error }, request);
        if (refusal === undefined) throw new TransportError('cut', 'Lost the connection');
        if (!met.effect) entry.code = refusal.status;
        return refusal;
      }
      case 'meanwhile':
        await this.#standStill(Promise.resolve(met.act()));
        return this.#pass(inner, sent, entry);
      case 'pause':
        await this.#paused(met.until);
        return this.#pass(inner, sent, entry);
    }
  }

  /** Waits as a process does that gets no processor time: time passes meanwhile. */
  async #standStill(until: Promise<void>): Promise<void> {
    const run = insidesOf(this.#around.cluster).tracker.current;
    if (run !== undefined) run.timers += 1;
    await until;
    if (run !== undefined) run.timers -= 1;
    if (!this.#isAlive) await never();
  }

  async #pass(inner: Transport, sent: TransportRequest, entry: JournalRequest): Promise<TransportResponse> {
    const isList = entry.verb === 'list' && !entry.isOfRun;
    const from = isList && this.#past !== undefined ? this.#past.transportOf(ADMIN.user, ADMIN.groups) : inner;
    const response = await from.send(sent);
    entry.code = response.status;
    if (response.body.type === 'object') noteAnswer(entry, response.body.object, this.#around);
    return response;
  }

  #watch(response: TransportResponse, request: ResourceRequest): TransportResponse {
    const { body } = response;
    if (body.type !== 'events') return response;
    return { ...response, body: { type: 'events', batches: this.#events(body.batches, request) } };
  }

  /** Passes events on, one at a time, when watches of the resource are not held. */
  async *#events(
    batches: AsyncIterable<readonly TransportEvent[]>,
    request: ResourceRequest,
  ): AsyncGenerator<readonly TransportEvent[]> {
    const { held } = this.#around;
    const resource = resourceWords(request);
    for await (const batch of batches) {
      for (const event of batch) {
        const hold = held.next(resource);
        if (hold !== undefined && (await this.#whileAlive(hold)) === 'relist') {
          yield [{ type: 'ERROR', status: expired('too old resource version').status }];
          return;
        }
        if ('object' in event)
          noteEvent({ type: event.type, object: event.object as AnsweredObject }, resource, this.#around);
        yield [event];
      }
    }
  }

  async #whileAlive<T>(waiting: Promise<T>): Promise<T> {
    const { signal } = this.#end;
    signal.throwIfAborted();
    return await new Promise<T>((resolve, reject) => {
      const stop = onAbort(signal, () => reject(signal.reason as Error));
      void waiting.then((value) => {
        stop[Symbol.dispose]();
        resolve(value);
      });
    });
  }
}

/** What a killed process waits for. */
function never(): Promise<never> {
  return new Promise(() => undefined);
}

function bodyOf({ body }: TransportRequest): unknown {
  if (body === undefined) return undefined;
  try {
    return JSON.parse(typeof body === 'string' ? body : Buffer.from(body).toString());
  } catch {
    return undefined; // not JSON: the journal has no body then
  }
}

const MAX_ARGUMENTS = 80;

function argumentWords(given: readonly unknown[]): string {
  const words = given.map((each) => JSON.stringify(each) ?? typeof each).join(', ');
  return words.length > MAX_ARGUMENTS ? `${words.slice(0, MAX_ARGUMENTS)}…` : words;
}
