import type { Transport, TransportRequest, TransportResponse } from '../../src/client/index.ts';

/** A write that reached the server, in the order of arrival. */
export interface RecordedWrite {
  readonly program: string;
  readonly method: string;
  /** Without the parts that differ from run to run: `pods/status`. */
  readonly resource: string;
  readonly path: string;
}

/** Notes down what a program writes, and passes it on. */
export class RecordingTransport implements Transport {
  readonly #inner: Transport;
  readonly #program: string;
  readonly #writes: RecordedWrite[];

  constructor(inner: Transport, program: string, writes: RecordedWrite[]) {
    this.#inner = inner;
    this.#program = program;
    this.#writes = writes;
  }

  send(request: TransportRequest): Promise<TransportResponse> {
    const { method, path } = request;
    if (method !== 'GET') this.#writes.push({ program: this.#program, method, path, resource: resourceOf(path) });
    return this.#inner.send(request);
  }

  [Symbol.asyncDispose](): PromiseLike<void> {
    return this.#inner[Symbol.asyncDispose]();
  }
}

/** `/apis/apps/v1/namespaces/default/replicasets/web/status?x=y` → `replicasets/status`. */
function resourceOf(path: string): string {
  const steps = (path.split('?')[0] ?? '').split('/').slice(path.startsWith('/api/') ? 3 : 4);
  const inNamespace = steps[0] === 'namespaces' && steps.length > 2 ? steps.slice(2) : steps;
  const [resource = '', , subresource] = inNamespace;
  return subresource === undefined ? resource : `${resource}/${subresource}`;
}
