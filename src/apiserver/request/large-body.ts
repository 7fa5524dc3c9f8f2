import { plainBytes } from '../../base/index.ts';
import type { Services } from '../endpoint.ts';
import type { Call } from './call.ts';

/** Objects and bodies above this size are worked on in slices. Nearly all requests are smaller, and pay nothing. */
export const LARGE_BYTES = 64 * 1024;

/** The body of a call, to be decoded now. One that turned out to be large waits for its first turn. */
export async function bodyToDecode(call: Call, { turns, maxBodyBytes }: Services): Promise<Uint8Array> {
  const body = await call.body(maxBodyBytes);
  if (body.length > LARGE_BYTES) {
    call.isLarge = true;
    await turns.take(false);
  }
  return plainBytes(body);
}
