import type { Duration } from '../../base/index.ts';
import type { RequestVerb } from '../resource-request.ts';

/** The requests that a fault affects: those that match all given fields. */
export interface FaultTarget {
  /** The user, such as `system:kube-scheduler`: the whole name, or a regular expression. */
  readonly user?: string | RegExp;
  /** The program: the name of an app, or of a program of the cluster such as `kube-controller-manager`. */
  readonly program?: string;
  readonly verb?: RequestVerb | readonly RequestVerb[];
  /** `pods` or `deployments.apps`, including subresources, or one subresource: `pods/status`. */
  readonly resource?: string;
  readonly namespace?: string;
  readonly name?: string;
}

/** How often a fault is injected. */
export interface FaultChance {
  /** The fault is removed after this many hits; default no limit. */
  readonly times?: number;
  /** From 0 (never) to 1 (always); default 1. The cluster's seed decides. */
  readonly probability?: number;
  /** The number of matching requests to let through first; default 0. */
  readonly after?: number;
}

/** A fault of a request. */
export type RequestFault =
  /** 409: the object has been modified. */
  | { readonly type: 'conflict' }
  /**
   * 410: the resource version of a watch, or the continue token of a list, has expired. Open watches end with this
   * error at once.
   */
  | { readonly type: 'expired' }
  /** 429, with `Retry-After`; default 1 second. */
  | { readonly type: 'tooManyRequests'; readonly retryAfterSeconds?: number }
  /** 500; the default message says that the storage timed out. */
  | { readonly type: 'internalError'; readonly message?: string }
  /** 503. */
  | { readonly type: 'unavailable'; readonly message?: string }
  /** 504: the request timed out in the server. */
  | { readonly type: 'timeout' }
  /** The request reaches the server after `delay`. */
  | { readonly type: 'latency'; readonly delay: Duration }
  /** The response, and each watch event, arrives `delay` later. */
  | { readonly type: 'late'; readonly delay: Duration }
  /** The connection fails; open watches break at once. */
  | { readonly type: 'dropped' }
  /** The server carries out the request, but the connection breaks before the response. */
  | { readonly type: 'lostAnswer' }
  /** The connection stays open but delivers no response and no event; it breaks when a watch would have ended. */
  | { readonly type: 'silent' }
  /** `get` and `list` return the state at the time the fault was added. */
  | { readonly type: 'staleRead' }
  /** Another holder takes the Lease before its holder renews it. */
  | { readonly type: 'lostLease'; readonly holder?: string };

/**
 * A fault of a call that the server makes to a webhook or aggregated API in the test's process, such as an app of
 * `cluster.run`.
 */
export type CallFault = (
  | { readonly type: 'webhookDown' }
  /** The webhook accepts the request and never answers: the call times out. */
  | { readonly type: 'webhookSilent' }
  /** The server of an aggregated API is down. */
  | { readonly type: 'apiDown' }
) & {
  /** Only calls whose path contains this text, such as the name of an admission webhook; default all. */
  readonly path?: string;
};

/** A fault: its type, its target and how often it is injected. */
export type Fault = (RequestFault & FaultTarget & FaultChance) | (CallFault & FaultChance);

/** An active fault. Disposing removes it: `using fault = cluster.fault({ … })`. */
export interface ActiveFault extends Disposable {
  readonly fault: Fault;
  /** How often the fault has been injected. */
  readonly hits: number;
  /** Stops injecting the fault. Requests that it affects already stay affected. */
  remove(): void;
}
