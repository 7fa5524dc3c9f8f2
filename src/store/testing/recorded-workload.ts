import type { Operation, Store } from '../store.ts';

const LAST = 90;

/**
 * The workload of the stores in `durable/testdata`, each recorded by the version of Keelson that wrote its format: keys
 * that are created, changed and deleted, with text, bytes and times to live, and a compaction.
 */
export async function recordedWorkload(store: Store): Promise<void> {
  for (let step = 1; step <= LAST; step++) {
    await store.commit({ conditions: [], operations: operationsOf(step) });
    if (step === LAST / 2) await store.compact(await store.revision());
  }
}

function operationsOf(step: number): Operation[] {
  const name = `c${step % 17}`;
  const text = JSON.stringify({
    kind: 'ConfigMap',
    apiVersion: 'v1',
    metadata: { name },
    data: { step: `grüß ${step}` },
  });
  const put: Operation = { type: 'put', key: `/registry/configmaps/default/${name}`, value: Buffer.from(text) };
  if (step % 7 === 0) return [put, { type: 'delete', key: `/registry/configmaps/default/c${step % 5}` }];
  if (step % 11 === 0) {
    const value = Buffer.from([step, 0, 255]);
    return [put, { type: 'put', key: `/registry/events/default/e${step}`, value, ttlSeconds: 3600 + step }];
  }
  return [put];
}
