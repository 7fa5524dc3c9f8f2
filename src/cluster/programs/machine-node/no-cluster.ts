import { aborted, AbortScope } from '../../../base/index.ts';
import type { Transport, TransportRequest, TransportResponse } from '../../../client/index.ts';

/**
 * Stands in for the API server of a node without a cluster: there is nothing in it, and nothing is kept. Lists are empty, watches tell
 * nothing, objects are not found; what is created is answered as if it were, so that nothing is tried again and again.
 */
export class NoCluster implements Transport {
  /** Its watches are silent, and that is right. */
  readonly isLocal = true;
  readonly #scope = new AbortScope();

  async send({ method, path, body, signal }: TransportRequest): Promise<TransportResponse> {
    const [place = '', query = ''] = path.split('?');
    const asked = new URLSearchParams(query);
    if (method === 'POST') return answer(201, JSON.parse(textOf(body)) as object);
    if (method !== 'GET') return answer(404, notFound(place));
    if (['true', '1'].includes(asked.get('watch') ?? '')) return this.#watch(asked, signal);
    return isCollection(place) ? answer(200, EMPTY) : answer(404, notFound(place));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#scope.abort(new Error('the program ends'));
  }

  #watch(asked: URLSearchParams, signal: AbortSignal): TransportResponse {
    const ended = AbortSignal.any([signal, this.#scope.signal]);
    const isWhole = asked.get('sendInitialEvents') === 'true';
    async function* events(): AsyncGenerator<Uint8Array> {
      if (isWhole) yield bytesOf(ALL_SENT);
      await aborted(ended);
    }
    return { status: 200, headers: JSON_HEADERS, body: { type: 'bytes', chunks: events() } };
  }
}

const JSON_HEADERS = { 'content-type': 'application/json' };
const EMPTY = { kind: 'List', apiVersion: 'v1', metadata: { resourceVersion: '1' }, items: [] };
const ALL_SENT = {
  type: 'BOOKMARK',
  object: {
    kind: 'Bookmark',
    apiVersion: 'v1',
    metadata: { resourceVersion: '1', annotations: { 'k8s.io/initial-events-end': 'true' } },
  },
};

/** Whether a path is that of a collection: `/api/v1/pods`, `/apis/GROUP/VERSION/namespaces/NAME/PLURAL`. */
function isCollection(path: string): boolean {
  const [, root, ...rest] = path.split('/');
  const parts = rest.slice(root === 'api' ? 1 : 2);
  return parts.length === 1 || (parts.length === 3 && parts[0] === 'namespaces');
}

function notFound(path: string): object {
  const message = `${JSON.stringify(path)} not found: the node has no cluster`;
  return { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Failure', reason: 'NotFound', code: 404, message };
}

function answer(status: number, object: object): TransportResponse {
  async function* chunks(): AsyncGenerator<Uint8Array> {
    yield bytesOf(object);
  }
  return { status, headers: JSON_HEADERS, body: { type: 'bytes', chunks: chunks() } };
}

function textOf(body: TransportRequest['body'] = '{}'): string {
  return typeof body === 'string' ? body : new TextDecoder().decode(body);
}

function bytesOf(object: object): Uint8Array {
  return new TextEncoder().encode(`${JSON.stringify(object)}\n`);
}
