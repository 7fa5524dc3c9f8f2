import type { Services } from '../endpoint.ts';
import type { Call } from './call.ts';

/** Objects and bodies above this size are worked on in slices. Nearly all requests are smaller, and pay nothing. */
export const LARGE_BYTES = 64 * 1024;

/** A call whose body turned out to be large: waits for its first turn to work on it. */
export function beginLarge(call: Call, { turns }: Services): Promise<void> {
  call.isLarge = true;
  return turns.take(false);
}
