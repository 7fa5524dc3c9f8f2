import { messageOf } from '../../base/index.ts';
import type * as ServerCode from './server-code.ts';

/** Not written as one word, so that bundlers do not put the code of servers into every operator. */
const DOOR = ['keelson', 'checks'].join('/');

/** Loads what servers check with from the package: this one, or that which is installed beside a bundle. */
export async function loadServerCode(): Promise<typeof ServerCode> {
  try {
    return (await import(DOOR)) as typeof ServerCode;
  } catch (cause) {
    throw new Error(
      `Cannot check as a server does: bundles leave that code out, and "${DOOR}" is not installed beside this one: ${messageOf(cause)}`,
      { cause },
    );
  }
}
