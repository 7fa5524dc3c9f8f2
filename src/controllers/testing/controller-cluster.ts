// A real API server in this process with selected controllers, in virtual time; no scheduler, no nodes.
import type { Client } from '../../client/index.ts';
import { app, type Part } from '../../kit/index.ts';
import { startCluster, type TestCluster } from '../../testing/index.ts';

/** Starts a cluster that runs only these parts. */
export async function startWith(...parts: readonly Part[]): Promise<TestCluster> {
  const startAt = '2026-01-01T00:00:00Z';
  const cluster = await startCluster({ controllers: false, scheduler: false, nodes: 0, seed: 'controllers', startAt });
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
