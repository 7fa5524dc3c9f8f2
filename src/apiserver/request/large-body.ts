import { JsonBody } from '../../api/index.ts';
import { plainBytes } from '../../base/index.ts';
import type { Services } from '../endpoint.ts';
import type { RequestBody } from './incoming-request.ts';

/** Objects and bodies above this size are worked on in slices. Nearly all requests are smaller, and pay nothing. */
export const LARGE_BYTES = 64 * 1024;

/** The body of a call, to be decoded now. One that turned out to be large waits for its first turn. */
export async function bodyToDecode(request: RequestBody, { turns, maxBodyBytes }: Services): Promise<Uint8Array> {
  const body = await request.body(maxBodyBytes);
  if (body.length > LARGE_BYTES) {
    request.isLarge = true;
    await turns.take(false);
  }
  return plainBytes(body);
}

/** JSON as it was sent: bytes, or, from a client in the same process, what they would say. */
export type SentJson = Uint8Array | JsonBody;

/** A server that takes less has to look at the text; the text of any value is shorter. */
const LEAST_LIMIT = 256 * 1024;

/** The same for a body of JSON. Without a promise where it is there as a value. */
export function jsonToDecode(request: RequestBody, services: Services): SentJson | Promise<SentJson> {
  const { value } = request;
  if (value === undefined || services.maxBodyBytes < LEAST_LIMIT) return bodyToDecode(request, services);
  return new JsonBody(value);
}

/** What was sent, parsed; throws a DecodeError when it is no JSON. */
export function parsedJson(sent: SentJson): JsonBody {
  return sent instanceof JsonBody ? sent : new JsonBody(sent);
}

/** What was sent, as UTF-8. */
export function sentBytes(sent: SentJson): Uint8Array {
  return sent instanceof JsonBody ? sent.bytes : sent;
}
