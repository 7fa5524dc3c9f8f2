import { JsonBody, type SentJson } from '../../api/index.ts';
import { plainBytes } from '../../base/index.ts';
import type { Services } from '../endpoint.ts';
import type { RequestBody } from './incoming-request.ts';

/** Larger objects and bodies are processed in slices. Nearly all requests are smaller, and are not affected. */
export const LARGE_BYTES = 64 * 1024;

/** The body of a call, ready to be decoded. A large one first waits for its turn. */
export async function bodyToDecode(request: RequestBody, { turns, maxBodyBytes }: Services): Promise<Uint8Array> {
  const body = await request.body(maxBodyBytes);
  if (body.length > LARGE_BYTES) {
    request.isLarge = true;
    await turns.take(false);
  }
  return plainBytes(body);
}

/** A server with a smaller body limit has to measure the text; a value's text is never longer than this. */
const MIN_UNMEASURED_LIMIT = 256 * 1024;

/** The same for a body of JSON; returns no promise when the client sent a value. */
export function jsonToDecode(request: RequestBody, services: Services): SentJson | Promise<SentJson> {
  const { value } = request;
  if (value === undefined || services.maxBodyBytes < MIN_UNMEASURED_LIMIT) return bodyToDecode(request, services);
  return new JsonBody(value);
}
