import type { Transport, TransportRequest, TransportResponse } from '../../client/index.ts';

/** Maximum number of kept messages. */
const MAX_KEPT = 20;

/** Records the requests that a server forbids. */
export class Refusals {
  readonly #kept = new Set<string>();

  get list(): readonly string[] {
    return [...this.#kept];
  }

  /** Wraps a transport to record 403 responses. */
  readonly watch = (transport: Transport): Transport => {
    const send = async (request: TransportRequest): Promise<TransportResponse> => {
      const response = await transport.send(request);
      return response.status === 403 ? this.#note(request, response) : response;
    };
    const { isLocal = false } = transport;
    return { isLocal, send, [Symbol.asyncDispose]: () => transport[Symbol.asyncDispose]() };
  };

  async #note({ method, path }: TransportRequest, response: TransportResponse): Promise<TransportResponse> {
    const text = await textOf(response);
    const message = messageIn(text) ?? `${method} ${path}`;
    if (this.#kept.size < MAX_KEPT) this.#kept.add(message);
    return { ...response, body: { type: 'bytes', chunks: oneChunk(text) } };
  }
}

async function textOf({ body }: TransportResponse): Promise<string> {
  if (body.type !== 'bytes') return body.type === 'object' ? JSON.stringify(body.object) : '';
  const chunks: Uint8Array[] = [];
  for await (const chunk of body.chunks) chunks.push(chunk);
  return Buffer.concat(chunks).toString();
}

async function* oneChunk(text: string): AsyncGenerator<Uint8Array> {
  yield Buffer.from(text);
}

/** The message of a Status. */
function messageIn(text: string): string | undefined {
  try {
    const { message } = JSON.parse(text) as { readonly message?: unknown };
    return typeof message === 'string' ? message : undefined;
  } catch {
    return undefined; // not from an API server
  }
}
