import type { ApiObject } from '../api/client.ts';
import type { Clock, Logger, Random } from '../base/index.ts';
import { ServedApis } from './discovery/served-apis.ts';
import { BuiltInClients } from './generated/built-in.ts';
import type { ListWatcher } from './informers/list-watcher.ts';
import type { Kind, KubernetesObject } from './kind.ts';
import type { ApiRequest, CallOptions } from './request/api-request.ts';
import { Requester, type RequesterOptions } from './request/requester.ts';
import { type AllNamespaces, ResourceClient } from './resource/resource-client.ts';
import { type Transport, withSend } from './transport.ts';

/** Finds what informers of a kind read. */
export type SourceOf = (kind: Pick<Kind, 'group' | 'version' | 'kind'>) => ListWatcher<never> | undefined;

export interface ClientOptions extends RequesterOptions {
  /** Where informers read the objects of a kind instead of at the server; undefined for a kind that the server has. Default: none. */
  readonly sourceOf?: SourceOf;
  /** The value of `defaultNamespace`; default `default`. */
  readonly namespace?: string;
}

/**
 * A client of an API server, typed for built-in and custom kinds.
 *
 * - Built-in kinds: `client.apps.v1.deployments.namespace('default').get('web')`, or by value `client.kind(Deployment)`.
 * - Custom kinds: `client.kind(Widget)` with a kind you define, or `await client.dynamic('example.com/v1', 'Widget')`.
 *
 * Disposing closes its connections.
 */
export class Client extends BuiltInClients implements AsyncDisposable {
  /**
   * The namespace of the kubeconfig's context. Calls do not use it implicitly: write
   * `.namespace(client.defaultNamespace)`.
   */
  readonly defaultNamespace: string;
  /** The APIs that the server serves. */
  readonly apis: ServedApis;
  readonly #transport: Transport;
  readonly #requester: Requester;

  readonly #options: ClientOptions;

  /** `apis` is the discovery of another client of the same server; default its own. */
  constructor(transport: Transport, options: ClientOptions = {}, apis?: ServedApis) {
    super();
    this.#options = options;
    this.#transport = transport;
    this.#requester = new Requester(transport, options);
    this.defaultNamespace = options.namespace ?? 'default';
    this.apis = apis ?? new ServedApis(this.#requester);
  }

  /**
   * The same client, which calls `beforeWrite` before it sends a write. If `beforeWrite` throws, the write is not sent.
   */
  guarded(beforeWrite: () => void): Client {
    const { clock, random, log } = this;
    const transport = guardedTransport(this.#transport, beforeWrite);
    return new Client(transport, { ...this.#options, clock, random, log }, this.apis);
  }

  /** See `ClientOptions`. */
  get sourceOf(): SourceOf | undefined {
    return this.#options.sourceOf;
  }

  /** Whether the server is in this process. */
  get isLocal(): boolean {
    return this.#transport.isLocal === true;
  }

  get clock(): Clock {
    return this.#requester.clock;
  }

  get random(): Random {
    return this.#requester.random;
  }

  get log(): Logger {
    return this.#requester.log;
  }

  override kind<T extends KubernetesObject>(kind: Kind<T, 'Namespaced'>): AllNamespaces<T>;
  override kind<T extends KubernetesObject>(kind: Kind<T>): ResourceClient<T>;
  override kind<T extends KubernetesObject>(kind: Kind<T>): ResourceClient<T> {
    return new ResourceClient(this.#requester, kind);
  }

  /** The objects of a kind in a namespace, or of a cluster-scoped kind: for code that works with any kind. */
  kindIn<T extends KubernetesObject>(kind: Kind<T>, namespace: string | undefined): ResourceClient<T> {
    return new ResourceClient(this.#requester, kind, { namespace: kind.scope === 'Cluster' ? undefined : namespace });
  }

  /** A client for a resource that discovery finds by its kind, plural or short name. */
  async dynamic(apiVersion: string, name: string, options: CallOptions = {}): Promise<ResourceClient<ApiObject>> {
    const kind = await this.apis.find(apiVersion, name, options);
    if (kind === undefined) throw new Error(`Cannot use "${name}" of "${apiVersion}": the server does not serve it`);
    return new ResourceClient<ApiObject>(this.#requester, kind as Kind<ApiObject>);
  }

  /**
   * Sends a request to any path and returns the JSON of the response: `client.request({ method: 'GET', path:
   * '/openapi/v3' })`.
   */
  async request(request: ApiRequest): Promise<unknown> {
    return (await this.#requester.object(request)).value;
  }

  /** Reads the text at any path: `client.text('/healthz')`. */
  text(path: string, options: CallOptions & { readonly accept?: string } = {}): Promise<string> {
    return this.#requester.text({ method: 'GET', path, accept: '*/*', ...options });
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#transport[Symbol.asyncDispose]() as Promise<void>;
  }
}

const READS: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS']);

/**
 * A transport that calls the guard before each write, including retries; if the guard throws, the write is not sent.
 */
function guardedTransport(transport: Transport, beforeWrite: () => void): Transport {
  return withSend(transport, async (request) => {
    if (!READS.has(request.method)) beforeWrite();
    return transport.send(request);
  });
}
