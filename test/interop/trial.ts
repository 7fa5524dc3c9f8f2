import type { ClientReport } from './outcome.ts';
import type { ServerName } from './results.ts';

/** A real program that is tried on an API server of its own. */
export interface Trial {
  readonly subject: string;
  readonly version: string;
  /** Why it cannot be tried here, in words to print. */
  whyNot(server: ServerName): string | undefined;
  try(server: ServerName, options: { readonly bundle: string | undefined }): Promise<ClientReport>;
}

const PAUSE_MS = 250;

/** Tries again until it works; the last failure when the signal aborts. */
export async function eventually(signal: AbortSignal, attempt: () => Promise<void>): Promise<void> {
  for (;;) {
    try {
      await attempt();
      return;
    } catch (error) {
      if (signal.aborted) throw error;
      await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
    }
  }
}

/** Throws what was found when it is not what was wanted. */
export function expectSame(found: unknown, wanted: unknown): void {
  const [left, right] = [found, wanted].map((value) => JSON.stringify(value));
  if (left !== right) throw new Error(`expected ${right}, got ${left}`);
}
