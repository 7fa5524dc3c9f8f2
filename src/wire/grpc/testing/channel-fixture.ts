import { expect } from 'vitest';
import { CryptoRandom, RealClock } from '../../../base/index.ts';
import { Channel, type ChannelOptions } from '../channel.ts';
import { GrpcError } from '../grpc-error.ts';
import type { ServedCall } from './grpc-server.ts';

export function bytes(text: string): Uint8Array {
  return Buffer.from(text);
}

export function text(message: Uint8Array): string {
  return Buffer.from(message).toString();
}

/** A channel with a real clock and real randomness. */
export function open(endpoints: string | readonly string[], options: Partial<ChannelOptions> = {}): Channel {
  return new Channel({
    endpoints: typeof endpoints === 'string' ? [endpoints] : endpoints,
    clock: new RealClock(),
    random: new CryptoRandom(),
    ...options,
  });
}

/** The error that a call rejects with. */
export async function failureOf(work: Promise<unknown>): Promise<GrpcError> {
  const error = await work.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  expect(error).toBeInstanceOf(GrpcError);
  return error as GrpcError;
}

/** Sends each message back. */
export async function echo(call: ServedCall): Promise<void> {
  for await (const message of call.messages) call.send(message);
  call.finish({ 'grpc-status': '0' });
}

/** A promise with its resolve function. */
export function signal<T>(): { readonly promise: Promise<T>; readonly resolve: (value: T) => void } {
  let resolve!: (value: T) => void;
  const promise = new Promise<T>((fulfil) => (resolve = fulfil));
  return { promise, resolve };
}
