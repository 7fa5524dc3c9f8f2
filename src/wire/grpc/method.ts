import type { ServerCall } from './server-call.ts';

/** Encodes and decodes messages of one type; a `MessageTable` is one. */
export interface Codec<Message> {
  encode(message: Message): Uint8Array;
  decode(bytes: Uint8Array): Message;
}

/** A method as a `.proto` file declares it: `/package.Service/Method`, and the types of its messages, single or streamed. */
export interface Method<Request, Response> {
  readonly path: string;
  readonly request: Codec<Request>;
  readonly response: Codec<Response>;
}

/** A method with its handler. */
export interface ServedMethod {
  readonly path: string;
  /** Yields the bytes of each answer. A thrown `GrpcError` ends the call with its code. */
  serve(requests: AsyncIterable<Uint8Array>, call: ServerCall): AsyncIterable<Uint8Array>;
}

/** Serves a unary method. */
export function unaryMethod<Request, Response>(
  { path, request, response }: Method<Request, Response>,
  handle: (message: Request, call: ServerCall) => Promise<Response>,
): ServedMethod {
  return {
    path,
    async *serve(requests, call) {
      for await (const message of requests) {
        yield response.encode(await handle(request.decode(message), call));
        return;
      }
    },
  };
}

/** Serves a method in which one or both sides stream messages. */
export function streamMethod<Request, Response>(
  { path, request, response }: Method<Request, Response>,
  handle: (messages: AsyncIterable<Request>, call: ServerCall) => AsyncIterable<Response>,
): ServedMethod {
  async function* decoded(messages: AsyncIterable<Uint8Array>): AsyncGenerator<Request> {
    for await (const message of messages) yield request.decode(message);
  }
  return {
    path,
    async *serve(requests, call) {
      for await (const message of handle(decoded(requests), call)) yield response.encode(message);
    },
  };
}
