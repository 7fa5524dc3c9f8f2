import { drained } from '../connections/index.ts';
import { Call, type CallOptions, type CallTarget } from './call.ts';
import { Deframer, frame } from './framing.ts';
import { GrpcError } from './grpc-error.ts';

/**
 * A call in which both sides send any number of messages; also used for client and server streaming.
 *
 * Iterating yields the server's messages, and throws unless the call ends with OK. A slow reader holds the server back:
 * HTTP/2's flow control lets at most one window accumulate here. Leaving the loop cancels the call.
 */
export class DuplexCall implements AsyncIterable<Uint8Array>, Disposable {
  readonly #call: Call;
  readonly #maxReceiveBytes: number;
  #isRead = false;

  constructor(
    method: string,
    options: CallOptions & { readonly target: CallTarget; readonly maxReceiveBytes: number },
  ) {
    this.#call = new Call(method, options, options.target);
    this.#maxReceiveBytes = options.maxReceiveBytes;
  }

  /** Resolves when more may be sent; only the server's answers show whether the message was processed. */
  send(message: Uint8Array): Promise<void> {
    const { stream } = this.#call;
    if (stream.closed || stream.destroyed || stream.writableEnded) return Promise.resolve();
    return stream.write(frame(message)) ? Promise.resolve() : drained(stream);
  }

  /** Ends this side's stream of messages. */
  end(): void {
    if (!this.#call.stream.writableEnded) this.#call.stream.end();
  }

  cancel(reason: unknown = new GrpcError('CANCELLED', 'The call was cancelled')): void {
    this.#call.cancel(reason);
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Uint8Array, void, undefined> {
    if (this.#isRead) throw new Error('Cannot read the call: it is read already');
    this.#isRead = true;
    const { stream } = this.#call;
    const deframer = new Deframer(this.#maxReceiveBytes);
    let failure: unknown;
    try {
      const complete: Uint8Array[] = [];
      for await (const piece of stream as AsyncIterable<Buffer>) {
        deframer.push(piece, (message) => complete.push(message));
        yield* complete;
        complete.length = 0;
      }
      failure = this.#call.failure() ?? (deframer.isInside ? cutShort() : undefined);
    } catch (error) {
      if (error instanceof GrpcError) this.#call.cancel(error);
      failure = this.#call.failure() ?? error;
    } finally {
      this.cancel();
    }
    if (failure !== undefined) throw failure;
  }

  [Symbol.dispose](): void {
    this.cancel();
  }
}

function cutShort(): GrpcError {
  return new GrpcError('INTERNAL', 'The server ended the call within a message');
}
