import type { Preconditions } from '../../api/types/meta/v1.d.ts';
import type { KubernetesObject, Observed } from '../kind.ts';
import type { ApiRequest, CallOptions, QueryValues } from '../request/api-request.ts';

/** Which objects: `app=web,tier!=db`, or `{ app: 'web' }` for labels that must be equal. */
export type LabelQuery = string | Readonly<Record<string, string>>;

/** Which objects a list or watch is about. */
export interface Selection {
  readonly labelSelector?: LabelQuery;
  /** Such as `spec.nodeName=n1`. */
  readonly fieldSelector?: string;
}

export interface GetOptions extends CallOptions {
  /** Not older than this; `'0'` for any state the server has at hand. */
  readonly resourceVersion?: string;
}

export interface ListOptions extends CallOptions, Selection {
  /** Objects a page; default 500, 0 for all at once. */
  readonly limit?: number;
  /** Where the page before ended. */
  readonly continue?: string;
  readonly resourceVersion?: string;
  readonly resourceVersionMatch?: 'Exact' | 'NotOlderThan';
}

export interface WatchOptions extends CallOptions, Selection {
  /** Changes after this one; without it the watch begins with what is there, as `ADDED` events. */
  readonly resourceVersion?: string;
  readonly resourceVersionMatch?: 'NotOlderThan';
  /** Asks for `BOOKMARK` events, about one a minute, which tell how far the watch is. */
  readonly allowWatchBookmarks?: boolean;
  /** Begins with what is there, and marks the end of that with a bookmark. */
  readonly sendInitialEvents?: boolean;
  /** The server ends the watch after so long. */
  readonly timeoutSeconds?: number;
}

export interface WriteOptions extends CallOptions {
  /** Goes through every step but storing. */
  readonly dryRun?: boolean;
  /** Who owns the fields that are set. */
  readonly fieldManager?: string;
  /** What happens to fields that the server does not know, and to duplicates; default the server's choice (`Warn`). */
  readonly fieldValidation?: 'Ignore' | 'Warn' | 'Strict';
}

export interface ApplyOptions extends WriteOptions {
  readonly fieldManager: string;
  /** Takes fields away from other managers instead of being refused with a conflict. */
  readonly force?: boolean;
}

export interface DeleteOptions extends CallOptions {
  readonly dryRun?: boolean;
  readonly gracePeriodSeconds?: number;
  /** What happens to dependents: deleted after, deleted first, or left alone. */
  readonly propagationPolicy?: 'Background' | 'Foreground' | 'Orphan';
  /** Deletes only this very object, or this very state of it. */
  readonly preconditions?: Preconditions;
}

export interface DeleteCollectionOptions extends DeleteOptions, Selection {}

export function selectionQuery({ labelSelector, fieldSelector }: Selection): QueryValues {
  return { labelSelector: formatLabels(labelSelector), fieldSelector };
}

/** The request with what its options say. Members are spelled out, since adding them to a copy makes a copy each time. */
export function requestWith(request: ApiRequest, options: WriteOptions, accept?: string): ApiRequest {
  const { method, path, body, contentType, isIdempotent } = request;
  const { signal, timeout, maxRetries, isReadOnly, dryRun, fieldManager, fieldValidation } = options;
  const query = { ...request.query, dryRun: dryRun === true ? 'All' : undefined, fieldManager, fieldValidation };
  return { method, path, query, accept, body, contentType, isIdempotent, signal, timeout, maxRetries, isReadOnly };
}

/** The body of a DELETE request. */
export function deleteBody({ dryRun, gracePeriodSeconds, propagationPolicy, preconditions }: DeleteOptions): object {
  return {
    kind: 'DeleteOptions',
    apiVersion: 'v1',
    ...(dryRun === true ? { dryRun: ['All'] } : {}),
    ...(gracePeriodSeconds === undefined ? {} : { gracePeriodSeconds }),
    ...(propagationPolicy === undefined ? {} : { propagationPolicy }),
    ...(preconditions === undefined ? {} : { preconditions }),
  };
}

/** What belongs to the call, not to the request. */
export function callOptions({ signal, timeout, maxRetries, isReadOnly }: CallOptions): CallOptions {
  return { signal, timeout, maxRetries, isReadOnly };
}

function formatLabels(labels: LabelQuery | undefined): string | undefined {
  if (labels === undefined || typeof labels === 'string') return labels;
  return Object.entries(labels)
    .map(([name, value]) => `${name}=${value}`)
    .join(',');
}

/** One event of a watch. What the server reports as ERROR is thrown as a StatusError instead. */
export type WatchEvent<T extends KubernetesObject> =
  | { readonly type: 'ADDED' | 'MODIFIED' | 'DELETED'; readonly object: Observed<T> }
  | { readonly type: 'BOOKMARK'; readonly resourceVersion: string; readonly endsInitialEvents: boolean };
