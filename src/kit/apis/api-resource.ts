import type { Client, KubernetesObject } from '../../client/index.ts';
import type { Part } from '../part.ts';
import type { DefinedKind } from '../resource/defined-kind.ts';
import type { HttpsListenerOptions, ServiceReference } from '../webhooks/https-listener.ts';
import type { LocalApis } from './api-call.ts';
import type { ApiStorage } from './api-storage.ts';

/** A column of `kubectl get` whose cells a function computes. */
export interface ApiColumn<T> {
  readonly type?: 'string' | 'integer' | 'number' | 'boolean';
  readonly format?: string;
  readonly description?: string;
  /** Columns above 0 are shown only by `kubectl get -o wide`. */
  readonly priority?: number;
  value(object: T, context: { readonly now: number }): string | number | boolean | undefined;
}

/** A resource of an API: its kind and its storage. */
export interface ApiResource<T extends KubernetesObject = KubernetesObject> extends ApiStorage<T> {
  /** The kind, made with `resource`; it provides names, scope, schema, columns and selectable fields. */
  readonly schema: DefinedKind<T>;
  /** Columns besides the name, by title; replace those of the schema. */
  readonly table?: Readonly<Record<string, ApiColumn<T>>>;
}

/** The API server of an app, as the app sees it. */
export interface AppApis {
  /** Registers the server once it listens and keeps the registration up to date. The registration outlives the server. */
  readonly registration: Part;
  /** Makes the server listen at the Service's port on all addresses. */
  standBehind(service: Required<ServiceReference>): void;
  /** Loads the code that answers requests, which is large; `run` does so itself. */
  load(): Promise<void>;
  /** Answers until the signal aborts: over HTTPS, or without sockets for API servers of this process. */
  run(client: Client, signal: AbortSignal, local?: LocalApis): Promise<void>;
}

export interface ApiServerOptions extends HttpsListenerOptions {
  /**
   * The Service that leads to this server, needed when the cluster's API server runs on another machine. Default: the
   * server creates one in the namespace `default` that leads to `localhost`.
   */
  readonly service?: ServiceReference;
  /** The priorities of the groups in discovery, as in APIServices; default 1000 and 100. */
  readonly groupPriorityMinimum?: number;
  readonly versionPriority?: number;
}

/** A group and version that an app's own API server answers for. */
export interface Api {
  readonly apiVersion: string;
  readonly group: string;
  readonly version: string;
  readonly resources: readonly ApiResource[];
  /** Makes the server (`apiServer`). It is reached through this value so that apps without APIs do not bundle it. */
  serverOf(apis: readonly Api[], options: ApiServerOptions): AppApis;
}
