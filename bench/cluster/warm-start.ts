import { startCluster } from '../../src/testing/index.ts';

export interface WarmStart {
  /** Another cluster in a process that has started one before. */
  readonly startMs: number;
  /** A copy of a cluster with 1,000 objects. */
  readonly forkMs: number;
}

const OBJECTS = 1000;

export async function warmStart(): Promise<WarmStart> {
  const started = performance.now();
  await using cluster = await startCluster();
  const startMs = performance.now() - started;
  const maps = cluster.client.core.v1.configmaps.namespace('default');
  for (let index = 0; index < OBJECTS; index++)
    await maps.create({ metadata: { name: `object-${index}` }, data: { text: 'x'.repeat(200) } });
  await cluster.settle();
  const forkStarted = performance.now();
  await using _fork = await cluster.fork();
  return { startMs, forkMs: performance.now() - forkStarted };
}
