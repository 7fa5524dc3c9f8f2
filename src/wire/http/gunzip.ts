import { pipeline, Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { messageOf } from '../../base/index.ts';
import { TransportError } from './transport-error.ts';

/** Unpacks a body on its way. */
export async function* gunzipped(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  const unpacked = pipeline(Readable.from(chunks), createGunzip(), () => undefined); // iterating throws what went wrong
  try {
    for await (const chunk of unpacked) yield chunk as Buffer;
  } catch (cause) {
    if (!String((cause as NodeJS.ErrnoException).code).startsWith('Z_')) throw cause;
    throw new TransportError('protocol', `Cannot unpack the answer: ${messageOf(cause)}`, { cause });
  }
}
