import type { IncomingRequest } from './incoming-request.ts';
import type { Principal } from './principal.ts';
import type { RequestInfo } from './request-info.ts';
import type { RequestRecord } from './request-record.ts';

/**
 * One request on its way through the stages, over HTTP/1.1, HTTP/2 or from a client in the same process.
 * Stages fill in what they find out; the verbs read it. A function that needs only one part takes that part.
 */
export interface Call {
  /** What arrived. */
  readonly request: IncomingRequest;
  /** The user who sends the request. */
  readonly principal: Principal;
  /** What is recorded about it. */
  readonly record: RequestRecord;
  /** What it asks for: the verb and the resource, or the path. */
  readonly info: RequestInfo;
  /** Headers of any answer to it; set by stages. */
  commonHeaders: Readonly<Record<string, string>> | undefined;
  /** The connection of a call that came over the network, for fault injection. */
  readonly wire: CallWire | undefined;
}

/** Faults that can be injected into the connection of a call. */
export interface CallWire {
  /** Breaks the connection: the client sees a truncated answer, or none. */
  cut(why: string): void;
  /** Aborts the call's signal; the answer is still sent. */
  stopWork(): void;
}
