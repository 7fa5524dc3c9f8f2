import type { ClientHttp2Session } from 'node:http2';
import type { Clock } from '../../base/index.ts';
import { type Address, formatAddress } from './address.ts';
import { Call, type CallOptions, type CallTarget } from './call.ts';
import { DuplexCall } from './duplex-call.ts';
import { Deframer, frame } from './framing.ts';
import { GrpcError } from './grpc-error.ts';
import { Keepalive, type KeepaliveOptions } from './keepalive.ts';

export interface ConnectionOptions extends KeepaliveOptions {
  readonly clock: Clock;
  readonly isSecure: boolean;
  readonly maxReceiveBytes: number;
}

/** One HTTP/2 connection to one server, with any number of concurrent calls. */
export class Connection {
  readonly address: string;
  readonly #session: ClientHttp2Session;
  readonly #target: CallTarget;
  readonly #options: ConnectionOptions;
  readonly #keepalive: Keepalive;
  readonly #closed: Promise<void>;
  #isRetired = false;
  #openCalls = 0;

  constructor(session: ClientHttp2Session, address: Address, options: ConnectionOptions) {
    this.address = formatAddress(address);
    this.#session = session;
    this.#options = options;
    const headers = {
      ':method': 'POST',
      ':scheme': options.isSecure ? 'https' : 'http',
      ':authority': address.authority,
      'content-type': 'application/grpc',
      'user-agent': 'keelson',
      te: 'trailers',
    };
    this.#target = {
      session,
      clock: options.clock,
      headers,
      callBegan: () => {
        this.#openCalls += 1;
        this.#keepalive.noteCall();
      },
      callEnded: () => (this.#openCalls -= 1),
    };
    this.#keepalive = new Keepalive(session, options.clock, { ...options, hasCalls: () => this.#openCalls > 0 });
    session.on('goaway', () => (this.#isRetired = true));
    this.#closed = new Promise((resolve) => {
      session.once('close', () => {
        this.#isRetired = true;
        this.#keepalive[Symbol.dispose]();
        resolve();
      });
    });
  }

  /** Whether new calls may be made. */
  get isUsable(): boolean {
    return !this.#isRetired && !this.#session.closed && !this.#session.destroyed;
  }

  /** Resolves when the connection is closed, for any reason. */
  get closed(): Promise<void> {
    return this.#closed;
  }

  unary(method: string, message: Uint8Array, options: CallOptions = {}): Promise<Uint8Array> {
    return callUnary(method, message, { ...this.#defaults(), ...options });
  }

  duplex(method: string, options: CallOptions = {}): DuplexCall {
    return new DuplexCall(method, { ...this.#defaults(), ...options });
  }

  /** Takes no new calls; closes the connection when the calls in flight have finished. */
  retire(): void {
    this.#isRetired = true;
    if (!this.#session.closed) this.#session.close();
  }

  /** Gives calls `graceMs` to finish and cancels the rest. */
  async close(graceMs: number): Promise<void> {
    this.retire();
    const timer = this.#options.clock.timer(graceMs, () => this.destroy());
    await this.#closed;
    timer[Symbol.dispose]();
  }

  destroy(): void {
    this.#isRetired = true;
    this.#session.destroy();
  }

  #defaults(): { readonly target: CallTarget; readonly maxReceiveBytes: number } {
    return { target: this.#target, maxReceiveBytes: this.#options.maxReceiveBytes };
  }
}

/** Sends one message and returns the answer. */
function callUnary(
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
