import { Buffer } from 'node:buffer';
import type { Readable } from 'node:stream';
import { badRequest, StatusError } from '../../api/index.ts';

export interface ReadBodyOptions {
  readonly limit: number;
  /** Whether the end of the stream is the end of the body: Node ends a stream also when its client resets it. */
  readonly isWhole: () => boolean;
}

/** Reads a request's body to its end, and not one byte more than `limit` is kept. */
export function readBody(input: Readable, { limit, isWhole }: ReadBodyOptions): Promise<Uint8Array> {
  if (input.destroyed) return Promise.reject(incomplete());
  return new Promise((resolve, reject) => {
    const chunks: Uint8Array[] = [];
    let size = 0;
    const settle = (finish: () => void): void => {
      input.off('data', onData).off('end', onEnd).off('close', onClose);
      finish();
    };
    const onData = (chunk: Uint8Array): void => {
      size += chunk.length;
      if (size > limit) settle(() => reject(bodyTooLarge(limit)));
      else chunks.push(chunk);
    };
    const onEnd = (): void => settle(() => (isWhole() ? resolve(joined(chunks)) : reject(incomplete())));
    const onClose = (): void => settle(() => reject(incomplete()));
    input.on('data', onData).on('end', onEnd).on('close', onClose);
  });
}

/** A request's body as it comes. Leaving it early leaves the rest unread; the stream itself lives on, for the answer. */
export async function* streamBody(input: Readable, isWhole: () => boolean): AsyncGenerator<Uint8Array> {
  try {
    for await (const chunk of input.iterator({ destroyOnReturn: false })) yield chunk as Buffer;
  } catch (cause) {
    throw incomplete({ cause });
  }
  if (!isWhole()) throw incomplete();
}

/** Upstream's words, which clients look for. */
export function bodyTooLarge(limit: number): StatusError {
  return new StatusError({
    code: 413,
    reason: 'RequestEntityTooLarge',
    message: `Request entity too large: limit is ${limit}`,
  });
}

/** The number in a `content-length` header; undefined when there is none. */
export function declaredLength(header: string | undefined): number | undefined {
  return header === undefined ? undefined : Number(header);
}

function joined(chunks: readonly Uint8Array[]): Uint8Array {
  const [first] = chunks;
  if (first === undefined) return new Uint8Array(0);
  return chunks.length === 1 ? first : Buffer.concat(chunks);
}

function incomplete(options?: ErrorOptions): StatusError {
  return badRequest('unexpected EOF', options);
}
