import type { Duplex } from 'node:stream';
import type { Status } from '../../api/index.ts';

/** An answer that carries no objects of a resource, and so needs none to be encoded. */
export type ConnectionAnswer = StatusAnswer | BytesAnswer | StreamAnswer | UpgradeAnswer;

export interface StatusAnswer {
  readonly type: 'status';
  readonly status: Status;
  /** More headers, such as `x-content-type-options` where access is refused. */
  readonly headers?: Readonly<Record<string, string>>;
}

/** A document that is bytes already: discovery, OpenAPI, health, metrics, plain 404s. */
export interface BytesAnswer {
  readonly type: 'bytes';
  readonly code: number;
  /** '' for an answer without content. */
  readonly contentType: string;
  readonly body: Uint8Array | string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Bytes from somewhere else that are passed on as they come, such as logs and what a proxied server answers. */
export interface StreamAnswer {
  readonly type: 'stream';
  readonly code: number;
  /** Lower-case names. Those that mean one connection only, such as `transfer-encoding`, are left out. */
  readonly headers: Readonly<Record<string, string | readonly string[]>>;
  /** Read no faster than the client takes it; left when the client leaves. */
  readonly body: AsyncIterable<Uint8Array>;
}

/** The end of HTTP on this connection. Only for a call that `isUpgrade`; others are told that they have to ask for it. */
export interface UpgradeAnswer {
  readonly type: 'upgrade';
  /** What the answer with code 101 says, such as `Upgrade` and `Connection`. */
  readonly headers: Readonly<Record<string, string>>;
  readonly takeOver: TakeOver;
}

/**
 * Has the connection to itself: what it reads has passed no limit but those of the socket's buffers, and what it writes should
 * wait for room. The connection is ended once this resolves, and cut off when it rejects. It has to come to an end, for which
 * it has `drainMs` of the transport's limits, when the call's signal aborts: the client has gone, or the server stops.
 */
export type TakeOver = (connection: Duplex) => Promise<void>;
