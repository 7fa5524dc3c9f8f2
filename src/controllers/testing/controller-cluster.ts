// A real API server in this process with selected controllers, in virtual time; no scheduler, no nodes.
import type { Client } from '../../client/index.ts';
import { app, type Part } from '../../kit/index.ts';
import { startCluster, type TestCluster } from '../../testing/index.ts';

/** Starts a cluster that runs only these parts. */
export function startWith(...parts: readonly Part[]): Promise<TestCluster> {
  return startUntil(undefined, ...parts);
}

/** The same; the cluster ends when the signal, such as the test's, aborts. */
export async function startUntil(signal: AbortSignal | undefined, ...parts: readonly Part[]): Promise<TestCluster> {
  const options = { controllers: false, scheduler: false, nodes: 0, seed: 'controllers' } as const;
  const own = signal === undefined ? {} : { signal };
  const cluster = await startCluster({ ...options, startAt: '2026-01-01T00:00:00Z', ...own });
  if (parts.length > 0) await run(cluster, ...parts);
  return cluster;
}

/** Starts additional parts. */
export async function run(cluster: TestCluster, ...parts: readonly Part[]): Promise<void> {
  await cluster.run(app('kube-controller-manager', parts));
}

/** The events in the cluster, as lines of source, object and message. */
export async function eventsIn(client: Client): Promise<string[]> {
  const { items } = await client.core.v1.events.list();
  return items.map(({ source, involvedObject, type, reason, message }) => {
    const object = `${involvedObject.kind} ${involvedObject.name}`;
    return `${source?.component} about ${object}: ${type} ${reason}: ${message}`;
  });
}
