import type { Scale } from '../../api/types/autoscaling/v1.d.ts';
import type { Kind, KubernetesObject, Observed, Sendable, Stored } from '../kind.ts';
import type { ApiRequest, CallOptions } from '../request/api-request.ts';
import type { ReadValue } from '../request/body-reader.ts';
import type { Requester } from '../request/requester.ts';
import { isStatus } from '../request/status-answer.ts';
import type { List } from './list.ts';
import {
  type ApplyOptions,
  callOptions,
  deleteBody,
  type DeleteCollectionOptions,
  type DeleteOptions,
  type GetOptions,
  type ListOptions,
  requestWith,
  selectionQuery,
  type WatchEvent,
  type WatchOptions,
  type WriteOptions,
} from './options.ts';
import { applyPatch, type Patch } from './patch.ts';
import { metadataOnly, type Representation, wholeObjects } from './representation.ts';
import { own } from './own-object.ts';
import { ResourcePath } from './resource-path.ts';
import { ResourceReader } from './resource-reader.ts';
import { SubresourceClient } from './subresource-client.ts';

/** The operations of a namespaced resource before a namespace is chosen: reading across all namespaces. */
export type AllNamespaces<T extends KubernetesObject> = Pick<
  ResourceClient<T>,
  'kind' | 'list' | 'page' | 'pages' | 'items' | 'watch' | 'watchBatches' | 'namespace' | 'metadata'
>;

/**
 * The objects of one resource: in one namespace, cluster-scoped, or (read-only) in all namespaces.
 *
 * Objects that `get` and writes return belong to the caller; those from lists and watches are read-only. Errors of the
 * server are thrown as StatusError, failed connections as TransportError.
 */
export class ResourceClient<T extends KubernetesObject = KubernetesObject> {
  readonly kind: Kind<T>;
  readonly #requester: Requester;
  readonly #path: ResourcePath;
  readonly #form: Representation;
  readonly #reader: ResourceReader<T>;

  constructor(
    requester: Requester,
    kind: Kind<T>,
    options: { readonly namespace?: string; readonly form?: Representation } = {},
  ) {
    this.kind = kind;
    this.#requester = requester;
    this.#path = new ResourcePath(kind, options.namespace);
    this.#form = options.form ?? wholeObjects;
    this.#reader = new ResourceReader(requester, this.#path, this.#form);
  }

  /** The same resource in one namespace. */
  namespace(name: string): ResourceClient<T> {
    if (name === '') throw new Error(`Cannot choose a namespace for ${this.kind.plural}: the name is empty`);
    return new ResourceClient(this.#requester, this.kind, { namespace: name, form: this.#form });
  }

  /** The same objects with metadata only, for `get`, lists and watches. */
  metadata(): ResourceClient {
    const { namespace } = this.#path;
    return new ResourceClient<KubernetesObject>(this.#requester, this.kind, { namespace, form: metadataOnly });
  }

  async get(name: string, options: GetOptions = {}): Promise<Stored<T>> {
    const path = this.#path.object(name, 'get');
    const { resourceVersion } = options;
    const query = resourceVersion === undefined ? undefined : { resourceVersion };
    return own<T>(await this.#send({ method: 'GET', path, query }, options), options);
  }

  /** All objects, fetched page by page. */
  list(options?: ListOptions): Promise<List<T>> {
    return this.#reader.list(options);
  }

  /** One page. */
  page(options?: ListOptions): Promise<List<T>> {
    return this.#reader.page(options);
  }

  /** Yields pages, each fetched on demand. Throws a StatusError (410) when the reader is too slow. */
  pages(options?: ListOptions): AsyncGenerator<List<T>> {
    return this.#reader.pages(options);
  }

  /** Yields objects, fetched page by page. */
  items(options?: ListOptions): AsyncGenerator<Observed<T>> {
    return this.#reader.items(options);
  }

  /** Yields changes until the server ends the watch (which it always does eventually) or the caller leaves the loop. */
  watch(options?: WatchOptions): AsyncGenerator<WatchEvent<T>> {
    return this.#reader.watch(options);
  }

  /** As `watch`, but yields events that arrived together as one list: cheaper for thousands of events. */
  watchBatches(options?: WatchOptions): AsyncGenerator<readonly WatchEvent<T>[]> {
    return this.#reader.watchBatches(options);
  }

  async create(object: Sendable<T>, options: WriteOptions = {}): Promise<Stored<T>> {
    const path = this.#path.collectionFor(object.metadata?.namespace, 'create');
    return own<T>(await this.#send({ method: 'POST', path, body: this.#complete(object) }, options), options);
  }

  /**
   * Replaces the object. If it carries a resourceVersion, the server answers Conflict if the object has changed since.
   */
  async update(object: Sendable<T>, options: WriteOptions = {}): Promise<Stored<T>> {
    const { name = '', namespace } = object.metadata ?? {};
    const path = this.#path.object(name, 'update', namespace);
    return own<T>(await this.#send({ method: 'PUT', path, body: this.#complete(object) }, options), options);
  }

  async patch(name: string, patch: Patch, options: WriteOptions = {}): Promise<Stored<T>> {
    const path = this.#path.object(name, 'patch');
    const { contentType, body } = patch;
    return own<T>(await this.#send({ method: 'PATCH', path, body, contentType }, options), options);
  }

  /** Server-side apply: creates the object, or sets the given fields. */
  async apply(object: Sendable<T>, options: ApplyOptions): Promise<Stored<T>> {
    const { name = '', namespace } = object.metadata ?? {};
    const path = this.#path.object(name, 'apply', namespace);
    const query = { force: options.force };
    const { contentType, body } = applyPatch(this.#complete(object));
    return own<T>(
      await this.#send({ method: 'PATCH', path, query, body, contentType, isIdempotent: true }, options),
      options,
    );
  }

  /** Deletes the object. Returns the object if the server does, such as a pod that is shutting down. */
  async delete(name: string, options: DeleteOptions = {}): Promise<Stored<T> | undefined> {
    const path = this.#path.object(name, 'delete');
    const answer = await this.#send({ method: 'DELETE', path, body: deleteBody(options) }, callOptions(options));
    return isStatus(answer.value) ? undefined : own<T>(answer, options);
  }

  /** Deletes all selected objects; without a selection, all objects. */
  async deleteCollection(options: DeleteCollectionOptions = {}): Promise<void> {
    const path = this.#path.collectionFor(undefined, 'delete all');
    const query = selectionQuery(options);
    await this.#send({ method: 'DELETE', path, query, body: deleteBody(options) }, callOptions(options));
  }

  get status(): SubresourceClient<T> {
    return this.subresource('status');
  }

  get scale(): SubresourceClient<Scale> {
    return this.subresource('scale');
  }

  subresource<S extends KubernetesObject = T>(name: string): SubresourceClient<S> {
    return new SubresourceClient<S>(this.#requester, this.#path, name);
  }

  #send(request: ApiRequest, options: WriteOptions): Promise<ReadValue> {
    return this.#requester.object(requestWith(request, options, this.#form.acceptObject));
  }

  /** Adds kind and apiVersion, which the server requires. */
  #complete(object: Sendable<T>): object {
    const { kind, apiVersion } = this.kind;
    return { kind, apiVersion, ...object };
  }
}

export type { CallOptions };
