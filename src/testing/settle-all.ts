import { settle, type VirtualClock } from '../base/index.ts';
import type { App } from '../kit/index.ts';

/** What waits for a retry is let go on if it is due this soon. */
const PATIENCE_MS = 2000;
const MAX_ROUNDS = 10_000;

/** Lets apps do what they can do now, and what they have put off for a moment. */
export async function settleAll(apps: readonly App[], clock: VirtualClock): Promise<void> {
  for (let round = 0; round < MAX_ROUNDS; round++) {
    await settle();
    if (apps.every(({ isIdle }) => isIdle)) return;
    const dueInMs = (clock.nextDueMs ?? Infinity) - clock.now();
    if (dueInMs <= PATIENCE_MS) await clock.advance(dueInMs);
  }
  const busy = apps.filter(({ isIdle }) => !isIdle).map(({ name }) => name);
  throw new Error(`Cannot settle the cluster: ${busy.join(', ')} never came to rest`);
}
