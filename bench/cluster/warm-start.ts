import { startCluster } from '../../src/testing/index.ts';

export interface WarmStart {
  /** Another cluster in a process that has started one before. */
  readonly startMs: number;
  /** A copy of a cluster with 1,000 objects: the middle one of five. */
  readonly forkMs: number;
}

const OBJECTS = 1000;
const FORKS = 5;

export async function warmStart(): Promise<WarmStart> {
  const started = performance.now();
  await using cluster = await startCluster();
  const startMs = performance.now() - started;
  const maps = cluster.client.core.v1.configmaps.namespace('default');
  for (let index = 0; index < OBJECTS; index++)
    await maps.create({ metadata: { name: `object-${index}` }, data: { text: 'x'.repeat(200) } });
  await cluster.settle();
  const forks: number[] = [];
  for (let fork = 0; fork < FORKS; fork++) {
    const forkStarted = performance.now();
    await using _fork = await cluster.fork();
    forks.push(performance.now() - forkStarted);
  }
  return { startMs, forkMs: forks.toSorted((a, b) => a - b)[Math.floor(FORKS / 2)] ?? 0 };
}
