import { readFileSync } from 'node:fs';
import type { Part } from '../../../kit/index.ts';
import { startCluster } from '../../../testing/index.ts';
import { run } from '../controller-cluster.ts';
import type { Scenario, ScenarioTopic } from './scenario-topic.ts';
import { ScenarioWorld } from './scenario-world.ts';

/** How long the recording waited before each look: the age of objects matters. */
const QUIET_MS = 1500;
/** Runs only the API server, with the admission plugins that were enabled when scenarios were recorded. */
const AS_RECORDED = {
  controllers: false,
  scheduler: false,
  nodes: 0,
  admission: { disable: ['ServiceAccount'] },
} as const;

/** Runs all steps and returns what was recorded. */
export async function play(scenario: Scenario, world: ScenarioWorld): Promise<readonly object[]> {
  try {
    await scenario(world);
    await world.lookAtEvents();
  } finally {
    await world.cleanUp();
  }
  return JSON.parse(JSON.stringify(world.looks)) as readonly object[];
}

/** Runs a scenario with these parts in virtual time. */
export async function playWith(parts: readonly Part[], topic: ScenarioTopic, name: string): Promise<unknown> {
  const scenario = topic.scenarios[name];
  if (scenario === undefined) throw new Error(`There is no scenario "${name}"`);
  await using cluster = await startCluster({
    ...AS_RECORDED,
    runtimeConfig: topic.runtimeConfig ?? [],
    seed: 'controllers',
    startAt: '2026-01-01T00:00:00Z',
  });
  await run(cluster, ...parts);
  const { client, clock } = cluster;
  await client.core.v1.namespaces.create({ metadata: { name: 'keelson-here' } });
  const time = {
    nowMs: () => clock.now(),
    quiet: async () => {
      await cluster.settle();
      await clock.advance(QUIET_MS);
      await cluster.settle();
    },
    pass: (seconds: number) => clock.advance(seconds * 1000),
  };
  return await play(scenario, new ScenarioWorld(client, 'keelson-here', { time, sight: topic }));
}

/** The recordings from Kubernetes 1.36.3 (test/vectors/controllers/record.ts), by scenario name. */
export function recordedLooks(file: URL): Readonly<Record<string, unknown>> {
  return JSON.parse(readFileSync(file, 'utf8')) as Readonly<Record<string, unknown>>;
}
