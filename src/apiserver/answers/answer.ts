import type { Duplex } from 'node:stream';
import type { ApiObject, Status } from '../../api/index.ts';
import type { ServedKind } from '../served-kind.ts';
import type { StoredObject } from '../storage/stored-object.ts';

/** What a verb answers with, before it is put into the client's format. A client in the same process takes it as it is. */
export type Answer =
  | ObjectAnswer
  | ListAnswer
  | WatchAnswer
  | StatusAnswer
  | BytesAnswer
  | StreamAnswer
  | UpgradeAnswer;

/** One object of a resource. */
export interface ObjectAnswer {
  readonly type: 'object';
  readonly code: number;
  readonly resource: ServedKind;
  /** A stored object in whatever version, or one made for this answer (dry run, Scale, reviews) in the right one. */
  readonly object: StoredObject | ApiObject;
}

export interface ListAnswer {
  readonly type: 'list';
  readonly resource: ServedKind;
  /** Stored objects, or ones made for this answer (`componentstatuses`) in the right version. */
  readonly items: readonly (StoredObject | ApiObject)[];
  readonly metadata: ListMetadata;
}

export interface ListMetadata {
  /** Absent when the list was made up on the spot. */
  readonly resourceVersion?: string;
  readonly continue?: string;
  readonly remainingItemCount?: number;
}

export interface WatchAnswer {
  readonly type: 'watch';
  readonly resource: ServedKind;
  /** In batches; ends when the watch is over. */
  readonly events: AsyncIterable<readonly WatchEvent[]>;
}

export type WatchEvent =
  | { readonly type: 'ADDED' | 'MODIFIED' | 'DELETED'; readonly object: StoredObject }
  | { readonly type: 'BOOKMARK'; readonly resourceVersion: string; readonly endsInitialEvents: boolean }
  | { readonly type: 'ERROR'; readonly status: Status };

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

/** An answer as it goes over the wire. */
export interface EncodedAnswer {
  readonly code: number;
  /** Lower-case names; without content-length, which the transport knows. */
  readonly headers: Readonly<Record<string, string | readonly string[]>>;
  /** Whole, in pieces to be written one after the other, or as a stream that is flushed piece by piece. */
  readonly body: Uint8Array | readonly Uint8Array[] | AsyncIterable<Uint8Array>;
  /** There when the connection goes on with another protocol after the head; the body is empty then. */
  readonly takeOver?: TakeOver;
  /** In place of headers and body, for a call that takes objects. */
  readonly decoded?: Answer;
}
