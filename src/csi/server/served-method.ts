import { messageOf } from '../../base/index.ts';
import { GrpcError, type Method, type ServedMethod, unaryMethod } from '../../wire/grpc/index.ts';

/** A method of a driver. What the author's code throws reaches the caller as INTERNAL with its words, unless it is a CsiError. */
export function served<Request, Response>(
  method: Method<Request, Response>,
  handle: (request: Request, signal: AbortSignal) => Promise<Response>,
): ServedMethod {
  return unaryMethod(method, async (request, { signal }) => {
    try {
      return await handle(request, signal);
    } catch (error) {
      if (error instanceof GrpcError) throw error;
      throw new GrpcError('INTERNAL', messageOf(error), { cause: error });
    }
  });
}
