import type { ApiObject, Status } from '../../api/index.ts';
import type { Resource } from '../resource.ts';
import type { StoredObject } from '../storage/stored-object.ts';
import type { ConnectionAnswer, TakeOver } from './connection-answer.ts';

export type * from './connection-answer.ts';

/** A verb's answer before it is encoded. Clients in the same process get it unencoded. */
export type Answer = ObjectAnswer | ListAnswer | WatchAnswer | ConnectionAnswer;

/** One object of a resource. */
export interface ObjectAnswer {
  readonly type: 'object';
  readonly code: number;
  readonly resource: Resource;
  /** A stored object in any version, or one made for this answer (dry run, Scale, reviews) in the right version. */
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
  /** Absent when the list does not come from the store. */
  readonly resourceVersion?: string;
  readonly continue?: string;
  readonly remainingItemCount?: number;
}

export interface WatchAnswer {
  readonly type: 'watch';
  readonly resource: Resource;
  /** In batches; ends when the watch ends. */
  readonly events: AsyncIterable<readonly WatchEvent[]>;
}

export type WatchEvent =
  | { readonly type: 'ADDED' | 'MODIFIED' | 'DELETED'; readonly object: StoredObject }
  | { readonly type: 'BOOKMARK'; readonly resourceVersion: string; readonly endsInitialEvents: boolean }
  | { readonly type: 'ERROR'; readonly status: Status };

/** An encoded answer. */
export interface EncodedAnswer {
  readonly code: number;
  /** Lower-case names; without content-length, which the transport adds. */
  readonly headers: Readonly<Record<string, string | readonly string[]>>;
  /**
   * The whole body, an iterable of pieces, or a stream that is flushed after each piece. The pieces of an iterable that is not an array are
   * made on demand, and can be taken only once.
   */
  readonly body: Uint8Array | Iterable<Uint8Array> | AsyncIterable<Uint8Array>;
  /** Set when the connection switches to another protocol after the head; the body is then empty. */
  readonly takeOver?: TakeOver;
  /** Set instead of headers and body for a call that takes objects. */
  readonly decoded?: Answer;
}
