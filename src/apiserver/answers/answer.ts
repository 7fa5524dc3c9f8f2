import type { ApiObject, Status } from '../../api/index.ts';
import type { Resource } from '../resource.ts';
import type { StoredObject } from '../storage/stored-object.ts';
import type { ConnectionAnswer, TakeOver } from './connection-answer.ts';

export type * from './connection-answer.ts';

/** What a verb answers with, before it is put into the client's format. A client in the same process takes it as it is. */
export type Answer = ObjectAnswer | ListAnswer | WatchAnswer | ConnectionAnswer;

/** One object of a resource. */
export interface ObjectAnswer {
  readonly type: 'object';
  readonly code: number;
  readonly resource: Resource;
  /** A stored object in whatever version, or one made for this answer (dry run, Scale, reviews) in the right one. */
  readonly object: StoredObject | ApiObject;
}

export interface ListAnswer {
  readonly type: 'list';
  readonly resource: Resource;
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
  readonly resource: Resource;
  /** In batches; ends when the watch is over. */
  readonly events: AsyncIterable<readonly WatchEvent[]>;
}

export type WatchEvent =
  | { readonly type: 'ADDED' | 'MODIFIED' | 'DELETED'; readonly object: StoredObject }
  | { readonly type: 'BOOKMARK'; readonly resourceVersion: string; readonly endsInitialEvents: boolean }
  | { readonly type: 'ERROR'; readonly status: Status };

/** An answer as it goes over the wire. */
export interface EncodedAnswer {
  readonly code: number;
  /** Lower-case names; without content-length, which the transport knows. */
  readonly headers: Readonly<Record<string, string | readonly string[]>>;
  /**
   * Whole, in pieces to be written one after the other, or as a stream that is flushed piece by piece. Pieces that are no
   * array are made when they are taken, once.
   */
  readonly body: Uint8Array | Iterable<Uint8Array> | AsyncIterable<Uint8Array>;
  /** There when the connection goes on with another protocol after the head; the body is empty then. */
  readonly takeOver?: TakeOver;
  /** In place of headers and body, for a call that takes objects. */
  readonly decoded?: Answer;
}
