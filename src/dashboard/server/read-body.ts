import type { IncomingMessage } from 'node:http';
import { StatusError } from '../../api/client.ts';

/** The largest body; API servers take 3 MiB. */
const MAX_BODY_BYTES = 4 * 1024 * 1024;

/** The whole body of a request. Throws 413 when it is too large. */
export async function readBody(request: IncomingMessage): Promise<Uint8Array> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > MAX_BODY_BYTES) {
      const message = `Cannot pass on a body of more than ${MAX_BODY_BYTES} bytes`;
      throw new StatusError({ code: 413, reason: 'RequestEntityTooLarge', message });
    }
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

/** A body that is JSON. Throws 400. */
export async function readJsonBody(request: IncomingMessage): Promise<unknown> {
  const text = Buffer.from(await readBody(request)).toString('utf8');
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new StatusError({ code: 400, reason: 'BadRequest', message: 'the body must be JSON' }, { cause });
  }
}
