// What kube-scheduler 1.36.3 did with pods in clusters made up at random, recorded; ours must find the same.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { SeededRandom, VirtualClock } from '../../base/index.ts';
import type { NodeSpec, NodeStatus, PodSpec } from '../../api/types/core/v1.d.ts';
import { SchedulerCache } from '../cache/scheduler-cache.ts';
import { Snapshot } from '../cache/snapshot.ts';
import { Cycle } from '../framework/cycle.ts';
import { FitError } from '../framework/fit-error.ts';
import { Framework } from '../framework/framework.ts';
import { defaultProfile } from '../framework/profile.ts';
import { runScores, ScoreSheet } from '../framework/run-scores.ts';
import { filtersFor, runPreFilters } from '../framework/run-filters.ts';
import { builtInPlugins } from '../plugins/registry.ts';
import { nodeOf, podInfoOf } from '../testing/objects.ts';
import { PodScheduler } from './schedule-pod.ts';

interface RecordedRun {
  readonly nodes: readonly {
    readonly metadata: { readonly name: string; readonly labels: Record<string, string> };
    readonly spec: NodeSpec;
    readonly status: NodeStatus;
  }[];
  /** In the order in which they were scheduled; with the node that they got, or why they got none. */
  readonly pods: readonly {
    readonly name: string;
    readonly spec: Partial<PodSpec>;
    readonly node?: string;
    readonly message?: string;
  }[];
}

const file = join(import.meta.dirname, '../testdata/kube-scheduler-placements.json.gz');
const runs = JSON.parse(gunzipSync(readFileSync(file)).toString()) as readonly RecordedRun[];

test.each(runs.map((run, index) => ({ run, index })))('run $index ends as it did with kube-scheduler', ({ run }) => {
  const framework = new Framework(defaultProfile, builtInPlugins, { client: undefined, clock: new VirtualClock() });
  const cache = new SchedulerCache();
  for (const { metadata, spec, status } of run.nodes)
    cache.setNode(nodeOf({ ...metadata, ...spec, allocatable: status.allocatable }));
  const snapshot = new Snapshot();
  const scheduler = new PodScheduler(snapshot, new SeededRandom(1));

  /** The nodes that are as good as the best. */
  const bestNodes = (cycle: Cycle): string[] => {
    runPreFilters(framework, cycle, snapshot);
    const filter = filtersFor(framework, cycle);
    const nodes = snapshot.nodes.filter((node) => filter(node) === undefined);
    const scores = runScores(framework, cycle, { nodes, sheet: new ScoreSheet() });
    return nodes.filter((_, index) => scores[index] === Math.max(...scores)).map(({ name }) => name);
  };

  for (const { name, spec, node, message } of run.pods) {
    const pod = podInfoOf({ name, ...spec });
    cache.update(snapshot);
    let outcome: { node?: string; message?: string };
    try {
      outcome = { node: scheduler.schedule(framework, new Cycle(pod)).nodeName };
    } catch (error) {
      if (!(error instanceof FitError)) throw error;
      outcome = { message: error.message };
    }
    if (node === undefined) expect({ name, ...outcome }).toEqual({ name, message });
    else {
      expect({ name, best: bestNodes(new Cycle(pod)) }).toEqual({
        name,
        best: expect.arrayContaining([node, outcome.node]),
      });
      cache.assume(pod, node);
    }
  }
});
