import { messageOf } from '../../base/index.ts';
import type * as ServerCode from './server-code.ts';

/** Not a literal, so that bundlers do not include the server's code in every operator. */
const DOOR = ['keelson', 'checks'].join('/');

/** Loads the server's checks from the package: this one, or the one installed beside a bundle. */
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
