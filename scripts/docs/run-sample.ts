// Runs samples of the documents, one after the other, each with its own cluster that $KUBECONFIG leads to.
import { keepAlive, RealClock } from '../../src/base/index.ts';
import type { App } from '../../src/kit/index.ts';
import { startCluster, type TestCluster } from '../../src/testing/index.ts';
import { testsDone } from './vitest-of-samples.ts';

/** What a sample needs to be there, as it says in a comment before it. */
export type Preparation = (cluster: TestCluster) => Promise<void>;

/** A sample that has not ended by itself after this time is taken for a server and stopped. */
const SERVES_AFTER_MS = 4000;
const STOP_MS = 8000;

/** Runs a sample: what it does when it is loaded, then the apps that it exports. Throws what it throws. */
export async function runSample(load: () => Promise<object>, prepare: Preparation): Promise<void> {
  await using cluster = await startCluster();
  await prepare(cluster);
  process.env['KUBECONFIG'] = await cluster.kubeconfig();
  process.env['HEALTH_PORT'] = '0'; // any that is free
  const done = load();
  const isDone = await within(done, SERVES_AFTER_MS);
  if (!isDone && process.listenerCount('SIGTERM') === 0) return; // as a process of its own it would end now
  if (!isDone) process.emit('SIGTERM', 'SIGTERM');
  if (!isDone && !(await within(done, STOP_MS))) throw new Error('it does not end, nor does it stop at SIGTERM');
  await testsDone();
  const apps = Object.values(await done).filter(isApp);
  for (const app of apps) await cluster.run(app);
  await cluster.settle();
  const failed = apps.flatMap((app) => app.trace({ outcome: 'failed' }));
  if (failed.length > 0) throw failed[0]?.error;
}

async function within(work: Promise<unknown>, ms: number): Promise<boolean> {
  const stop = new AbortController();
  const late = new RealClock().sleep(ms, stop.signal).then(() => false);
  using _alive = keepAlive();
  try {
    return await Promise.race([work.then(() => true), late]);
  } finally {
    stop.abort();
  }
}

function isApp(value: unknown): value is App {
  return typeof value === 'object' && value !== null && 'trace' in value && 'resources' in value;
}
