import type * as ServerCode from './server-code.ts';

/**
 * Loads the server's checks of definitions and objects, which are large. The published package contains
 * `find-server-code.ts` instead.
 */
export function loadServerCode(): Promise<typeof ServerCode> {
  return import('./server-code.ts');
}
