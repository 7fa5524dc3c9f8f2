// What kube-scheduler 1.36.3 did with pods in clusters made up at random, recorded; ours must find the same.
import { expect, test } from 'vitest';
import { SeededRandom } from '../../../src/base/index.ts';
import { SchedulerCache } from '../../../src/scheduler/cache/scheduler-cache.ts';
import { Snapshot } from '../../../src/scheduler/cache/snapshot.ts';
import { PodScheduler } from '../../../src/scheduler/cycle/schedule-pod.ts';
import { Cycle } from '../../../src/scheduler/framework/cycle.ts';
import { FitError } from '../../../src/scheduler/framework/fit-error.ts';
import { Framework } from '../../../src/scheduler/framework/framework.ts';
import { defaultProfile } from '../../../src/scheduler/framework/profile.ts';
import { filtersFor, runPreFilters } from '../../../src/scheduler/framework/run-filters.ts';
import { runScores, ScoreSheet } from '../../../src/scheduler/framework/run-scores.ts';
import { builtInPlugins } from '../../../src/scheduler/plugins/registry.ts';
import { nodeOf, podInfoOf, sharedContext } from '../../../src/scheduler/testing/objects.ts';
import { readRuns } from './recorded-run.ts';

const runs = readRuns();

test.each(runs.map((run, index) => ({ run, index })))(
  'run number $index ends as it did with kube-scheduler',
  async ({ run }) => {
    const framework = new Framework(defaultProfile, builtInPlugins, sharedContext());
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
      const scores = runScores(framework, cycle, { nodes, snapshot, sheet: new ScoreSheet() });
      return nodes.filter((_, index) => scores[index] === Math.max(...scores)).map(({ name }) => name);
    };

    for (const { name, spec, node, message } of run.pods) {
      const pod = podInfoOf({ name, ...spec });
      cache.update(snapshot);
      let outcome: { node?: string; message?: string };
      try {
        outcome = { node: (await scheduler.schedule(framework, new Cycle(pod))).nodeName };
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
  },
);
