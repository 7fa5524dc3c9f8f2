import type { Duration } from '../../base/index.ts';
import type { RequestVerb } from '../resource-request.ts';

/** Which requests a fault is about: those that fit all that is given. */
export interface FaultTarget {
  /** Who asks, such as `system:kube-scheduler`: the whole name, or a part of it as a regular expression. */
  readonly user?: string | RegExp;
  /** The program that asks: the name of an app, or of a program of the cluster such as `kube-controller-manager`. */
  readonly program?: string;
  readonly verb?: RequestVerb | readonly RequestVerb[];
  /** `pods`, `deployments.apps`, or `pods/status` for a subresource alone; subresources are included where none is named. */
  readonly resource?: string;
  readonly namespace?: string;
  readonly name?: string;
}

/** How often a fault strikes. */
export interface FaultChance {
  /** Strikes so often at most, and is removed then; default without end. */
  readonly times?: number;
  /** From 0 (never) to 1 (always, as unless given); the cluster's seed decides. */
  readonly probability?: number;
  /** Lets so many requests that it is about go by first. */
  readonly after?: number;
}

/** What goes wrong with a request. */
export type RequestFault =
  /** 409: somebody else has changed the object, as the server says it. */
  | { readonly type: 'conflict' }
  /** 410: the server has forgotten the moment that a watch, or the next page of a list, begins with. Open watches end so at once. */
  | { readonly type: 'expired' }
  /** 429, with the seconds to wait in `Retry-After`; default 1. */
  | { readonly type: 'tooManyRequests'; readonly retryAfterSeconds?: number }
  /** 500: the server cannot reach its storage, unless another message is given. */
  | { readonly type: 'internalError'; readonly message?: string }
  /** 503. */
  | { readonly type: 'unavailable'; readonly message?: string }
  /** 504: the server has given up on the request. */
  | { readonly type: 'timeout' }
  /** The request reaches the server after so long. */
  | { readonly type: 'latency'; readonly delay: Duration }
  /** The answer comes so long after the server has given it, and so does each event of a watch. */
  | { readonly type: 'late'; readonly delay: Duration }
  /** No connection comes about; open watches break at once. */
  | { readonly type: 'dropped' }
  /** The server does what it is asked to, and the connection breaks before its answer. */
  | { readonly type: 'lostAnswer' }
  /** Nothing comes, and nobody says so, neither an answer nor an event; the connection breaks when a watch would end anyway. */
  | { readonly type: 'silent' }
  /** `get` and `list` are answered as of the moment at which the fault was made. */
  | { readonly type: 'staleRead' }
  /** Somebody else holds the Lease when its holder renews it. */
  | { readonly type: 'lostLease'; readonly holder?: string };

/** What goes wrong when the server asks others; only what runs in the test's process, as apps of `cluster.run` do. */
export type CallFault = (
  | { readonly type: 'webhookDown' }
  /** It takes the question and never answers: the time of the webhook runs out. */
  | { readonly type: 'webhookSilent' }
  /** The server of an aggregated API is away. */
  | { readonly type: 'apiDown' }
) & {
  /** Only calls to a path with this text in it, such as the name of an admission; default all. */
  readonly path?: string;
};

/** Something that goes wrong: what, for whom, and how often. */
export type Fault = (RequestFault & FaultTarget & FaultChance) | (CallFault & FaultChance);

/** A fault at work. Disposing removes it: `using fault = cluster.fault({ … })`. */
export interface ActiveFault extends Disposable {
  readonly fault: Fault;
  /** How often it has struck. */
  readonly hits: number;
  /** What is under way and has been struck stays so; nothing else is from now on. */
  remove(): void;
}
