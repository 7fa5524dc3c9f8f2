import type { LocalBackend } from '../cluster/index.ts';
import type { ApiAnswer, ApiCall, LocalApiHandler, LocalApis } from '../kit/index.ts';

type BackendRequest = Parameters<LocalBackend>[0];

/** API servers in the test process, which the cluster's server calls without sockets; each has its own host name. */
export class InProcessApis implements LocalApis {
  readonly #backends = new Map<string, LocalBackend>();
  #count = 0;

  /** The same for a fork of the cluster: it keeps answering after the original has ended. */
  fork(): InProcessApis {
    const fork = new InProcessApis();
    for (const [host, answer] of this.#backends) fork.#backends.set(host, answer);
    fork.#count = this.#count;
    return fork;
  }

  serve(handler: LocalApiHandler): Disposable & { readonly host: string } {
    this.#count += 1;
    const host = `apis-${this.#count}.in-process.invalid`;
    this.#backends.set(host, async (request) => {
      const { status, headers, body } = await handler(callOf(request));
      return { status, headers, chunks: chunksOf(body) };
    });
    return { host, [Symbol.dispose]: () => void this.#backends.delete(host) };
  }

  find(host: string): LocalBackend | undefined {
    return this.#backends.get(host);
  }
}

function callOf({ method, path, headers, body, signal }: BackendRequest): ApiCall {
  const values = (name: string): readonly string[] => {
    const value = headers[name];
    return value === undefined ? [] : typeof value === 'string' ? [value] : value;
  };
  return {
    method,
    target: path,
    header: (name) => values(name)[0],
    headers: values,
    headerNames: Object.keys(headers),
    signal,
    body: async (maxBytes) => {
      const chunks: Uint8Array[] = [];
      for await (const chunk of typeof body === 'string' || body instanceof Uint8Array ? [body] : (body ?? []))
        chunks.push(Buffer.from(chunk));
      const whole = Buffer.concat(chunks);
      if (whole.length > maxBytes) throw new Error(`the body has more than ${maxBytes} bytes`);
      return whole;
    },
  };
}

async function* chunksOf(body: ApiAnswer['body']): AsyncGenerator<Uint8Array> {
  if (typeof body === 'string' || body instanceof Uint8Array) {
    yield Buffer.from(body);
    return;
  }
  for await (const text of body) yield Buffer.from(text);
}
