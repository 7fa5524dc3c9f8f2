import type * as ServerCode from './server-code.ts';

/** Loads what servers check definitions and objects with, which is large. The published package has `find-server-code.ts` in its place. */
export function loadServerCode(): Promise<typeof ServerCode> {
  return import('./server-code.ts');
}
