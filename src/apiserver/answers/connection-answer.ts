import type { Duplex } from 'node:stream';
import type { Status } from '../../api/index.ts';

/** An answer without objects of a resource, which can be encoded without knowing the resource. */
export type ConnectionAnswer = StatusAnswer | BytesAnswer | StreamAnswer | UpgradeAnswer;

export interface StatusAnswer {
  readonly type: 'status';
  readonly status: Status;
  /** Additional headers, such as `x-content-type-options` when access is refused. */
  readonly headers?: Readonly<Record<string, string>>;
}

/** A document that is already encoded: discovery, OpenAPI, health, metrics, plain 404s. */
export interface BytesAnswer {
  readonly type: 'bytes';
  readonly code: number;
  /** Empty for an answer without content. */
  readonly contentType: string;
  readonly body: Uint8Array | string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Bytes from another source that are forwarded as they arrive, such as logs and the answers of proxied servers. */
export interface StreamAnswer {
  readonly type: 'stream';
  readonly code: number;
  /** Lower-case names. Headers that apply to one connection only, such as `transfer-encoding`, are left out. */
  readonly headers: Readonly<Record<string, string | readonly string[]>>;
  /** Read only as fast as the client reads; closed when the client disconnects. */
  readonly body: AsyncIterable<Uint8Array>;
}

/** Ends HTTP on this connection. Only for a call that `isUpgrade`; other calls get an error that asks for an upgrade. */
export interface UpgradeAnswer {
  readonly type: 'upgrade';
  /** The headers of the answer with code 101, such as `Upgrade` and `Connection`. */
  readonly headers: Readonly<Record<string, string>>;
  readonly takeOver: TakeOver;
}

/**
 * Owns the connection: data that it reads is limited only by the socket's buffers, and it should wait when a write reports a full buffer.
 * The connection is ended when the promise resolves, and destroyed when it rejects. When the call's signal aborts, because the client left
 * or the server stops, it must finish within `drainMs` of the transport's limits.
 */
export type TakeOver = (connection: Duplex) => Promise<void>;
