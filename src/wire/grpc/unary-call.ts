import { Call, type CallOptions, type CallTarget } from './call.ts';
import { Deframer, frame } from './framing.ts';
import { GrpcError } from './grpc-error.ts';

/** Sends one message and answers with the one that comes back. */
export function callUnary(
  method: string,
  message: Uint8Array,
  options: CallOptions & { readonly target: CallTarget; readonly maxReceiveBytes: number },
): Promise<Uint8Array> {
  return new Promise((resolve, reject) => {
    const call = new Call(method, options, options.target);
    const { stream } = call;
    const deframer = new Deframer(options.maxReceiveBytes);
    let answer: Uint8Array | undefined;
    const settle = (): void => {
      if (!stream.writableFinished) stream.destroy(); // the server has answered without reading all of the request
      const failure = call.failure();
      if (failure !== undefined) reject(failure);
      else if (answer === undefined || deframer.isInside) reject(incomplete());
      else resolve(answer);
    };
    stream.on('data', (piece: Buffer) => {
      try {
        deframer.push(piece, (complete) => {
          if (answer !== undefined) throw new GrpcError('INTERNAL', 'The server answered more than once');
          answer = complete;
        });
      } catch (error) {
        call.cancel(error);
      }
    });
    stream.on('end', settle);
    stream.on('close', settle);
    stream.end(frame(message));
  });
}

function incomplete(): GrpcError {
  return new GrpcError('INTERNAL', 'The server ended the call without a complete answer');
}
