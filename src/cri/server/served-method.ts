import { RuntimeError, type RuntimeErrorReason } from '../../node/index.ts';
import {
  GrpcError,
  type Method,
  type ServedMethod,
  type ServerCall,
  type StatusName,
  streamMethod,
  unaryMethod,
} from '../../wire/grpc/index.ts';

const CODES: Readonly<Record<RuntimeErrorReason, StatusName>> = {
  NotFound: 'NOT_FOUND',
  Invalid: 'INVALID_ARGUMENT',
  Unavailable: 'UNAVAILABLE',
  DeadlineExceeded: 'DEADLINE_EXCEEDED',
  Unimplemented: 'UNIMPLEMENTED',
  Failed: 'UNKNOWN',
};

/** A unary method whose refusals, RuntimeErrors, reach the client with their code and their words. */
export function served<Request, Response>(
  method: Method<Request, Response>,
  handle: (request: Request, signal: AbortSignal) => Promise<Response>,
): ServedMethod {
  return unaryMethod(method, async (request, { signal }: ServerCall) => {
    try {
      return await handle(request, signal);
    } catch (error) {
      throw asGrpcError(error);
    }
  });
}

/** A method that answers one request with any number of messages. */
export function servedStream<Request, Response>(
  method: Method<Request, Response>,
  handle: (request: Request, signal: AbortSignal) => AsyncIterable<Response>,
): ServedMethod {
  return streamMethod(method, async function* (requests, { signal }) {
    for await (const request of requests) {
      try {
        yield* handle(request, signal);
      } catch (error) {
        throw asGrpcError(error);
      }
      return;
    }
  });
}

/** A method that is refused by name. */
export function unsupported<Request, Response>(method: Method<Request, Response>, why: string): ServedMethod {
  return unaryMethod(method, async () => {
    const name = method.path.slice(method.path.lastIndexOf('/') + 1);
    throw new GrpcError('UNIMPLEMENTED', `${name} is not supported: ${why}`);
  });
}

function asGrpcError(error: unknown): unknown {
  return error instanceof RuntimeError ? new GrpcError(CODES[error.reason], error.message, { cause: error }) : error;
}
