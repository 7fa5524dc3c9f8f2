import type { KubernetesObject, Sendable, Stored } from '../kind.ts';
import type { ApiRequest, CallOptions, QueryValues } from '../request/api-request.ts';
import type { Requester } from '../request/requester.ts';
import { type ApplyOptions, requestWith, type WriteOptions } from './options.ts';
import { own } from './own-object.ts';
import { applyPatch, type Patch } from './patch.ts';
import type { ResourcePath } from './resource-path.ts';

/** A subresource: a part of an object such as `status` or `scale`, or an action such as `eviction`. */
export class SubresourceClient<S extends KubernetesObject> {
  readonly name: string;
  readonly #requester: Requester;
  readonly #path: ResourcePath;

  constructor(requester: Requester, path: ResourcePath, name: string) {
    this.name = name;
    this.#requester = requester;
    this.#path = path;
  }

  get(name: string, options: CallOptions = {}): Promise<Stored<S>> {
    return this.#send({ method: 'GET', path: this.#of(name, 'get') }, options);
  }

  /** Posts to the subresource. Actions return a Status, or, as token requests do, the completed object. */
  create(name: string, body: Sendable<S>, options: WriteOptions = {}): Promise<Stored<S>> {
    return this.#send({ method: 'POST', path: this.#of(name, 'create'), body }, options);
  }

  update(object: Sendable<S>, options: WriteOptions = {}): Promise<Stored<S>> {
    const { name = '', namespace } = object.metadata ?? {};
    return this.#send({ method: 'PUT', path: this.#of(name, 'update', namespace), body: object }, options);
  }

  patch(name: string, { contentType, body }: Patch, options: WriteOptions = {}): Promise<Stored<S>> {
    return this.#send({ method: 'PATCH', path: this.#of(name, 'patch'), contentType, body }, options);
  }

  /** Server-side apply of the subresource. */
  apply(object: Sendable<S>, options: ApplyOptions): Promise<Stored<S>> {
    const { name = '', namespace } = object.metadata ?? {};
    const { kind, apiVersion } = this.#path.kind;
    const { contentType, body } = applyPatch({ kind, apiVersion, ...object });
    const path = this.#of(name, 'apply', namespace);
    const query = { force: options.force };
    return this.#send({ method: 'PATCH', path, query, contentType, body, isIdempotent: true }, options);
  }

  /** Streams the bytes of the subresource, such as logs. */
  chunks(name: string, query: QueryValues, options: CallOptions = {}): AsyncGenerator<Uint8Array> {
    const path = this.#of(name, 'read');
    return this.#requester.chunks(requestWith({ method: 'GET', path, query }, options, '*/*'));
  }

  #of(name: string, verb: string, namespace?: string): string {
    return `${this.#path.object(name, `${verb} ${this.name} of`, namespace)}/${this.name}`;
  }

  async #send(request: ApiRequest, options: WriteOptions): Promise<Stored<S>> {
    return own<S>(await this.#requester.object(requestWith(request, options)), options);
  }
}
