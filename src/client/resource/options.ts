import type { Preconditions } from '../../api/types/meta/v1.d.ts';
import type { KubernetesObject, Observed } from '../kind.ts';
import type { ApiRequest, CallOptions, QueryValues } from '../request/api-request.ts';

/** A label selector: `app=web,tier!=db`, or `{ app: 'web' }` for equality. */
export type LabelQuery = string | Readonly<Record<string, string>>;

/** The objects that a list or watch returns. */
export interface Selection {
  readonly labelSelector?: LabelQuery;
  /** Such as `spec.nodeName=n1`. */
  readonly fieldSelector?: string;
}

/** Options of reading an object. */
export interface GetOptions extends CallOptions {
  /** The result is not older than this; `'0'` accepts any state that the server has cached. */
  readonly resourceVersion?: string;
}

export interface ListOptions extends CallOptions, Selection {
  /** Objects per page; default 500, 0 for all at once. */
  readonly limit?: number;
  /** The token of the previous page. */
  readonly continue?: string;
  readonly resourceVersion?: string;
  readonly resourceVersionMatch?: 'Exact' | 'NotOlderThan';
}

/** Which objects are watched, from which version on, and for how long. */
export interface WatchOptions extends CallOptions, Selection {
  /**
   * Watches for changes after this version; without it the watch begins with `ADDED` events for all existing objects.
   */
  readonly resourceVersion?: string;
  readonly resourceVersionMatch?: 'NotOlderThan';
  /** Asks for `BOOKMARK` events, about one a minute, which report the watch's resource version. */
  readonly allowWatchBookmarks?: boolean;
  /** Begins with all existing objects, and marks their end with a bookmark. */
  readonly sendInitialEvents?: boolean;
  /** The server ends the watch after this time. */
  readonly timeoutSeconds?: number;
}

/** Options of every write. */
export interface WriteOptions extends CallOptions {
  /** Runs every step except storing. */
  readonly dryRun?: boolean;
  /** The owner of the fields that are set. */
  readonly fieldManager?: string;
  /** How the server treats unknown and duplicate fields; default the server's choice (`Warn`). */
  readonly fieldValidation?: 'Ignore' | 'Warn' | 'Strict';
}

/** Options of server-side apply. */
export interface ApplyOptions extends WriteOptions {
  readonly fieldManager: string;
  /** Takes fields over from other managers instead of failing with a conflict. */
  readonly force?: boolean;
}

/** Options of deleting an object. */
export interface DeleteOptions extends CallOptions {
  readonly dryRun?: boolean;
  readonly gracePeriodSeconds?: number;
  /** What happens to dependents: deleted afterwards, deleted first, or kept. */
  readonly propagationPolicy?: 'Background' | 'Foreground' | 'Orphan';
  /** Deletes only if the uid or resource version matches. */
  readonly preconditions?: Preconditions;
}

/** Options of deleting all selected objects. */
export interface DeleteCollectionOptions extends DeleteOptions, Selection {}

export function selectionQuery({ labelSelector, fieldSelector }: Selection): QueryValues {
  return { labelSelector: formatLabels(labelSelector), fieldSelector };
}

/** The request with its options. Members are written out, since spreading would copy the object several times. */
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

/** The options of the call, without those of the request. */
export function callOptions({ signal, timeout, maxRetries, isReadOnly }: CallOptions): CallOptions {
  return { signal, timeout, maxRetries, isReadOnly };
}

function formatLabels(labels: LabelQuery | undefined): string | undefined {
  if (labels === undefined || typeof labels === 'string') return labels;
  return Object.entries(labels)
    .map(([name, value]) => `${name}=${value}`)
    .join(',');
}

/** One event of a watch. ERROR events are thrown as StatusErrors instead. */
export type WatchEvent<T extends KubernetesObject> =
  | { readonly type: 'ADDED' | 'MODIFIED' | 'DELETED'; readonly object: Observed<T> }
  | { readonly type: 'BOOKMARK'; readonly resourceVersion: string; readonly endsInitialEvents: boolean };
