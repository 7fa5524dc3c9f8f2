import { type Transport, type TransportRequest } from '../../client/index.ts';

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
    const send = async (request: TransportRequest) => {
      const response = await transport.send(request);
      if (response.status === 403 && this.#kept.size < MAX_KEPT) this.#kept.add(messageOf(request, response.body));
      return response;
    };
    const { isLocal = false } = transport;
    return { isLocal, send, [Symbol.asyncDispose]: () => transport[Symbol.asyncDispose]() };
  };
}

function messageOf({ method, path }: TransportRequest, body: Awaited<ReturnType<Transport['send']>>['body']): string {
  const status = body.type === 'object' ? (body.object as { readonly message?: unknown }) : {};
  return typeof status.message === 'string' ? status.message : `${method} ${path}`;
}
