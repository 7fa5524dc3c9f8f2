import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { replicaSetController } from '../replicaset/index.ts';
import { replicationControllerController } from '../replication-controller.ts';
import { startWith } from '../testing/controller-cluster.ts';
import { playScenario, workloadScenarios } from '../testing/workload-scenarios.ts';
import { WorkloadWorld } from '../testing/workload-world.ts';
import { deploymentController } from './deployment-controller.ts';

/** What was seen on Kubernetes 1.36.3 (test/vectors/workloads/record.ts). */
const recorded = JSON.parse(readFileSync(new URL('testdata/real-cluster.json', import.meta.url), 'utf8')) as Readonly<
  Record<string, readonly object[]>
>;

describe('objects and events come out as on a real cluster', () => {
  test.each(Object.entries(workloadScenarios))('%s', async (name, scenario) => {
    await using cluster = await startWith(
      deploymentController(),
      replicaSetController(),
      replicationControllerController(),
    );
    const { client, clock } = cluster;
    await client.core.v1.namespaces.create({ metadata: { name: 'here' } });
    const world = new WorkloadWorld(client, 'here', {
      nowMs: () => clock.now(),
      quiet: async () => {
        await cluster.settle();
        await clock.advance(1500); // as if somebody had waited to see: the age of objects matters
        await cluster.settle();
      },
      pass: (seconds) => clock.advance(seconds * 1000),
    });

    const seen = await playScenario(scenario, world);

    expect(seen).toEqual(recorded[name]);
  });
});
