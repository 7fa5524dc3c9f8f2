import type { Client, KubernetesObject } from '../../client/index.ts';
import type { Part } from '../part.ts';
import type { DefinedKind } from '../resource/defined-kind.ts';
import type { HttpsListenerOptions, ServiceReference } from '../webhooks/https-listener.ts';
import type { LocalApis } from './api-call.ts';
import type { ApiStorage } from './api-storage.ts';

/** One column of `kubectl get`, computed. */
export interface ApiColumn<T> {
  readonly type?: 'string' | 'integer' | 'number' | 'boolean';
  readonly format?: string;
  readonly description?: string;
  /** Greater than 0: shown by `kubectl get -o wide` alone. */
  readonly priority?: number;
  value(object: T, context: { readonly now: number }): string | number | boolean | undefined;
}

/** A resource of an API: its kind, and where its objects are. */
export interface ApiResource<T extends KubernetesObject = KubernetesObject> extends ApiStorage<T> {
  /** Made with `resource`: names, scope, schema, columns and selectable fields are taken from it. */
  readonly schema: DefinedKind<T>;
  /** Columns besides the name, by their titles, where those of the schema are not enough. */
  readonly table?: Readonly<Record<string, ApiColumn<T>>>;
}

/** What an app has to know of the server of its APIs. */
export interface AppApis {
  /** Registers the server once it listens, and keeps the registration as it is meant to be; it stays when the server ends. */
  readonly registration: Part;
  /** Has it listen at the Service's port, on all addresses, for an API server that comes by the Service. */
  standBehind(service: Required<ServiceReference>): void;
  /** Loads what answering takes, which is large; `run` does so itself. */
  load(): Promise<void>;
  /** Answers until the signal aborts: over HTTPS, or API servers of this process without sockets. */
  run(client: Client, signal: AbortSignal, local?: LocalApis): Promise<void>;
}

export interface ApiServerOptions extends HttpsListenerOptions {
  /**
   * The Service that leads to this server, where the cluster's API server does not run on this machine. Unless given, the server
   * makes one in the namespace `default` that leads to `localhost`.
   */
  readonly service?: ServiceReference;
  /** Where the groups stand in discovery, as APIServices say it; 1000 and 100 unless given. */
  readonly groupPriorityMinimum?: number;
  readonly versionPriority?: number;
}

/** A group and version that a server of one's own answers for. */
export interface Api {
  readonly apiVersion: string;
  readonly group: string;
  readonly version: string;
  readonly resources: readonly ApiResource[];
  /** `apiServer`, which an app's server finds here: apps without APIs do not carry it. */
  serverOf(apis: readonly Api[], options: ApiServerOptions): AppApis;
}
