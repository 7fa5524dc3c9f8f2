import type { Transport, TransportRequest, TransportResponse } from '../../client/index.ts';

/** So many are told; more of the same would not help. */
const MAX_KEPT = 20;

/** Notes what a server refuses a client for want of rights. */
export class Refusals {
  readonly #kept = new Set<string>();

  get list(): readonly string[] {
    return [...this.#kept];
  }

  /** A transport that does the same, and is listened to. */
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

/** What a Status says. */
function messageIn(text: string): string | undefined {
  try {
    const { message } = JSON.parse(text) as { readonly message?: unknown };
    return typeof message === 'string' ? message : undefined;
  } catch {
    return undefined; // an answer of something else than an API server
  }
}
