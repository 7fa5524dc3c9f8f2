// Requests of a client straight into an API server of the same process: the same stages, no sockets, no second copy.
import { setMaxListeners } from 'node:events';
import {
  type Answer,
  type ApiServer,
  type EncodedAnswer,
  inProcessCall,
  type InProcessCall,
  StoredObject,
} from '../apiserver/index.ts';
import { jsonCopy } from '../api/index.ts';
import { type Clock, onAbort } from '../base/index.ts';
import { TransportError } from '../client/index.ts';
import type { Transport, TransportEvent, TransportRequest, TransportResponse } from '../client/index.ts';
import type { ProgramTurns } from './program-turns.ts';

/** For an answer that its client left; does nothing where the call has been finished. */
const CUT = { code: 200, bytes: 0, outcome: 'cut' } as const;

const NO_HEADERS = {};

type ListAnswer = Extract<Answer, { type: 'list' }>;
type WatchAnswer = Extract<Answer, { type: 'watch' }>;

export interface InProcessOptions {
  readonly clock: Clock;
  /** Who the client is, as a certificate would say. */
  readonly certificate: { readonly commonName: string; readonly organizations: readonly string[] };
  /** The turns that requests and batches of events take; default none: they are answered at once. */
  readonly turns?: ProgramTurns;
}

export class InProcessTransport implements Transport {
  readonly isLocal = true;
  readonly values = { copy: jsonCopy, never: neverAborted() };
  readonly #server: ApiServer;
  readonly #options: InProcessOptions;
  #isClosed = false;

  constructor(server: ApiServer, options: InProcessOptions) {
    this.#server = server;
    this.#options = options;
  }

  send(request: TransportRequest): Promise<TransportResponse> {
    const turn = this.#options.turns?.forRequest(request.path);
    return turn === undefined ? this.#send(request) : turn.then(() => this.#send(request));
  }

  #send(request: TransportRequest): Promise<TransportResponse> {
    try {
      request.signal.throwIfAborted();
      if (this.#isClosed) throw new TransportError('closed', 'Cannot send: the client has been closed');
      const { method, path, headers, body, value, signal } = request;
      const { clock, certificate } = this.#options;
      const { uids } = this.#server.services;
      const call = inProcessCall({ method, path, headers, body, value, signal, clock, certificate, uids });
      const answer = this.#server.answer(call);
      if (answer instanceof Promise) return answer.then((made) => this.#response(made, call, request));
      return Promise.resolve(this.#response(answer, call, request));
    } catch (error) {
      return Promise.reject(error);
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isClosed = true;
  }

  #response(answer: Answer, call: InProcessCall, request: TransportRequest): TransportResponse {
    if (request.signal.aborted) call.finish(CUT);
    request.signal.throwIfAborted();
    const isWhole = !String(request.headers['accept']).includes('as=');
    const { texts } = call.record.warnings;
    const warning = texts.map((text) => `299 - "${text.replaceAll(/["\\]/g, '\\$&')}"`);
    const headers = texts.length === 0 ? NO_HEADERS : { warning };
    if (isWhole && answer.type === 'object') {
      const { object, resource, code } = answer;
      return { status: code, headers, body: { type: 'object', object: servedObject(object, resource) } };
    }
    if (isWhole && answer.type === 'list')
      return { status: 200, headers, body: { type: 'object', object: listOf(answer) } };
    if (isWhole && answer.type === 'watch') {
      return {
        status: 200,
        headers,
        body: {
          type: 'events',
          batches: eventsOf(answer, call, { ...leaving(call, request), turns: this.#options.turns }),
        },
      };
    }
    const encoded = this.#server.encode(answer, call);
    return {
      status: encoded.code,
      headers: encoded.headers,
      body: { type: 'bytes', chunks: chunksOf(encoded, call, leaving(call, request)) },
    };
  }
}

function neverAborted(): AbortSignal {
  const { signal } = new AbortController();
  setMaxListeners(0, signal); // many requests may hang on it at once
  return signal;
}

/** Ends a call whose client leaves, also if it never begins to read the answer: others wait for the seat. */
interface Leaving extends Disposable {
  readonly signal: AbortSignal;
}

function leaving(call: InProcessCall, { signal }: TransportRequest): Leaving {
  return { signal, ...onAbort(signal, () => call.finish(CUT)) };
}

/** An object of an answer, in the version of the answer's resource. */
export function servedObject(object: StoredObject | object, resource: ListAnswer['resource']): object {
  return object instanceof StoredObject ? object.as(resource) : object;
}

function listOf({ resource, items, metadata }: ListAnswer): object {
  const { kind, group, version } = resource;
  const apiVersion = group === '' ? version : `${group}/${version}`;
  return { kind: `${kind}List`, apiVersion, metadata, items: items.map((item) => servedObject(item, resource)) };
}

async function* eventsOf(
  { events, resource }: WatchAnswer,
  call: InProcessCall,
  reading: Leaving & { readonly turns: ProgramTurns | undefined },
): AsyncGenerator<readonly TransportEvent[]> {
  using _leaving = reading;
  const { signal, turns } = reading;
  try {
    for await (const batch of events) {
      const turn = turns?.forChanges();
      if (turn !== undefined) await turn;
      if (signal.aborted) break;
      yield batch.map((event): TransportEvent =>
        'object' in event ? { type: event.type, object: servedObject(event.object, resource) } : event,
      );
    }
    if (signal.aborted) throw signal.reason;
    call.finish({ code: 200, bytes: 0, outcome: 'complete' });
  } finally {
    call.finish(CUT);
  }
}

async function* chunksOf(
  { code, body }: EncodedAnswer,
  call: InProcessCall,
  leaving: Leaving,
): AsyncGenerator<Uint8Array> {
  using _leaving = leaving;
  const { signal } = leaving;
  try {
    for await (const chunk of body instanceof Uint8Array ? [body] : body) {
      if (signal.aborted) break;
      yield chunk;
    }
    if (signal.aborted) throw signal.reason;
    call.finish({ code, bytes: 0, outcome: 'complete' });
  } finally {
    call.finish(CUT);
  }
}
