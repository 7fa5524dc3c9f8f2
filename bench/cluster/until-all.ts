import type { KubernetesObject, Observed, ResourceClient } from '../../src/client/index.ts';

const PATIENCE_MS = 600_000;

export interface UntilAllOptions<T extends KubernetesObject> {
  readonly amount: number;
  amountOf(object: Observed<T>): number;
  readonly signal: AbortSignal;
}

/** Watches objects until their amounts add up. */
export async function untilAll<T extends KubernetesObject>(
  resource: Pick<ResourceClient<T>, 'watchBatches'>,
  { amount, amountOf, signal: ended }: UntilAllOptions<T>,
): Promise<void> {
  const signal = AbortSignal.any([ended, AbortSignal.timeout(PATIENCE_MS)]);
  for (;;) {
    signal.throwIfAborted();
    // a watch may end at any time, and the next one begins with what is there
    const amounts = new Map<string, number>();
    let sum = 0;
    for await (const events of resource.watchBatches({ signal })) {
      for (const event of events) {
        if (event.type === 'BOOKMARK') continue;
        const { uid } = event.object.metadata;
        const now = event.type === 'DELETED' ? 0 : amountOf(event.object);
        sum += now - (amounts.get(uid) ?? 0);
        amounts.set(uid, now);
      }
      if (sum >= amount) return;
    }
  }
}
