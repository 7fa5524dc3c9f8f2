import type { VectorKind } from './vector-kind.ts';
import type { Reply } from './kube-client.ts';
import { editObject, type StepRequest } from './vector.ts';

/** All that playing a sequence needs from a server. */
export interface Server {
  send(
    method: string,
    path: string,
    options?: { readonly body?: unknown; readonly type?: string; readonly userAgent?: string },
  ): Promise<Reply>;
}

export const MEDIA_TYPES = {
  apply: 'application/apply-patch+yaml',
  merge: 'application/merge-patch+json',
  json: 'application/json-patch+json',
  strategic: 'application/strategic-merge-patch+json',
} as const;

export interface Place {
  readonly name: string;
  readonly namespace: string;
}

/** One object on a server, as the steps of a sequence write it. */
export class SequencePlayer {
  readonly #server: Server;
  readonly #kind: VectorKind;
  readonly #place: Place;

  constructor(server: Server, kind: VectorKind, place: Place) {
    this.#server = server;
    this.#kind = kind;
    this.#place = place;
  }

  path(apiVersion = this.#kind.apiVersion, subresource = ''): string {
    const root = apiVersion.includes('/') ? `/apis/${apiVersion}` : `/api/${apiVersion}`;
    const scope = this.#kind.namespaced ? `/namespaces/${this.#place.namespace}` : '';
    return `${root}${scope}/${this.#kind.plural}/${this.#place.name}${subresource === '' ? '' : `/${subresource}`}`;
  }

  get(): Promise<Reply> {
    return this.#server.send('GET', this.path());
  }

  async play(request: StepRequest): Promise<Reply> {
    const { verb, manager, userAgent, force, subresource = '' } = request;
    const query = new URLSearchParams();
    if (manager !== undefined) query.set('fieldManager', manager);
    if (force === true) query.set('force', 'true');
    const path = this.path(this.#versionOf(request), subresource);
    const suffix = query.size > 0 ? `?${query.toString()}` : '';
    const agent = userAgent === undefined ? {} : { userAgent };
    if (verb === 'create') {
      return this.#server.send('POST', `${path.slice(0, path.lastIndexOf('/'))}${suffix}`, {
        body: request.body,
        ...agent,
      });
    }
    if (verb === 'update')
      return this.#server.send('PUT', `${path}${suffix}`, { body: await this.#edited(path, request), ...agent });
    return this.#server.send('PATCH', `${path}${suffix}`, { body: request.body, type: MEDIA_TYPES[verb], ...agent });
  }

  async #edited(path: string, request: Extract<StepRequest, { verb: 'update' }>): Promise<unknown> {
    const current = await this.#server.send('GET', path);
    const body = editObject(current.body, request.edits) as { metadata: Record<string, unknown> };
    if (!('managedFields' in request)) return body;
    if (request.managedFields === null) delete body.metadata['managedFields'];
    else body.metadata['managedFields'] = request.managedFields;
    return body;
  }

  /** Configurations say themselves in what version they are sent. */
  #versionOf(request: StepRequest): string {
    if (request.verb !== 'create' && request.verb !== 'apply') return request.apiVersion;
    if (request.subresource !== undefined) return request.apiVersion;
    const { apiVersion } = request.body as { apiVersion?: string };
    const { otherVersion } = this.#kind;
    return apiVersion !== undefined && apiVersion === otherVersion?.apiVersion ? apiVersion : this.#kind.apiVersion;
  }
}
