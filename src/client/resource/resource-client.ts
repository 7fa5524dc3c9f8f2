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

/** What can be done with a namespaced resource before a namespace is chosen: reading across all of them. */
export type AllNamespaces<T extends KubernetesObject> = Pick<
  ResourceClient<T>,
  'kind' | 'list' | 'page' | 'pages' | 'items' | 'watch' | 'watchBatches' | 'namespace' | 'metadata'
>;

/**
 * The objects of one resource: in one namespace, outside of namespaces, or (reading only) in all namespaces.
 *
 * Objects that verbs return for one name are the caller's own; those from lists and watches are only to be read.
 * Refusals of the server are thrown as StatusError; a failed connection as TransportError.
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

  /** The same objects without their contents: get, lists and watches carry metadata alone. */
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

  /** Page after page, each fetched when it is asked for. Ends with a StatusError of 410 when the reader is too slow. */
  pages(options?: ListOptions): AsyncGenerator<List<T>> {
    return this.#reader.pages(options);
  }

  /** Object after object, fetched page by page. */
  items(options?: ListOptions): AsyncGenerator<Observed<T>> {
    return this.#reader.items(options);
  }

  /** Changes as they happen, until the server ends the watch (it always does, in the end) or the loop is left. */
  watch(options?: WatchOptions): AsyncGenerator<WatchEvent<T>> {
    return this.#reader.watch(options);
  }

  /** As `watch`, with events that arrived together in one list: cheaper by the thousand. */
  watchBatches(options?: WatchOptions): AsyncGenerator<readonly WatchEvent<T>[]> {
    return this.#reader.watchBatches(options);
  }

  async create(object: Sendable<T>, options: WriteOptions = {}): Promise<Stored<T>> {
    const path = this.#path.collectionFor(object.metadata?.namespace, 'create');
    return own<T>(await this.#send({ method: 'POST', path, body: this.#complete(object) }, options), options);
  }

  /** Replaces the object. If it carries a resourceVersion, the server refuses with a Conflict when somebody was faster. */
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

  /** Server-side apply: creates the object, or makes the fields given here what they are here. */
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

  /** Deletes the object. What the server hands back of it, such as a pod that is shutting down; often nothing. */
  async delete(name: string, options: DeleteOptions = {}): Promise<Stored<T> | undefined> {
    const path = this.#path.object(name, 'delete');
    const answer = await this.#send({ method: 'DELETE', path, body: deleteBody(options) }, callOptions(options));
    return isStatus(answer.value) ? undefined : own<T>(answer, options);
  }

  /** Deletes all objects that are selected; without a selection, all there are. */
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

  /** With kind and apiVersion, which the server insists on and callers need not repeat. */
  #complete(object: Sendable<T>): object {
    const { kind, apiVersion } = this.kind;
    return { kind, apiVersion, ...object };
  }
}

export type { CallOptions };
