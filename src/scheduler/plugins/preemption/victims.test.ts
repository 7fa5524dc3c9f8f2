import { describe, expect, test } from 'vitest';
import { SeededRandom } from '../../../base/index.ts';
import type { PodInfo } from '../../cache/pod-info.ts';
import { SchedulerCache } from '../../cache/scheduler-cache.ts';
import { Snapshot } from '../../cache/snapshot.ts';
import { PodScheduler } from '../../cycle/schedule-pod.ts';
import { Cycle } from '../../framework/cycle.ts';
import type { Extender, Victims } from '../../framework/extender.ts';
import { FitError } from '../../framework/fit-error.ts';
import { Framework } from '../../framework/framework.ts';
import type { SharedContext } from '../../framework/plugin-context.ts';
import { defaultProfile } from '../../framework/profile.ts';
import { nodeOf, podInfoOf, podOf, sharedContext } from '../../testing/objects.ts';
import { builtInPlugins } from '../registry.ts';
import { bestCandidates, type Candidate } from './choose-candidate.ts';
import { candidatesToFind } from './preemption-args.ts';

const victim = (name: string, priority: number, startTime: string): PodInfo =>
  podInfoOf({ name, priority, status: { startTime: `2026-01-01T00:00:${startTime}Z` } });
const candidate = (nodeName: string, budgetViolations: number, ...pods: PodInfo[]): Candidate => ({
  nodeName,
  budgetViolations,
  pods,
});

describe('the best candidate', () => {
  test.each<[string, Candidate, Candidate]>([
    [
      'breaks the fewest budgets',
      candidate('a', 1, victim('p', 0, '00')),
      candidate('b', 0, victim('q', 9, '00'), victim('r', 9, '00')),
    ],
    [
      'has the least important of the most important victims',
      candidate('a', 0, victim('p', 5, '00')),
      candidate('b', 0, victim('q', 4, '00'), victim('r', 4, '00')),
    ],
    [
      'has the lowest sum of priorities',
      candidate('a', 0, victim('p', 5, '00'), victim('q', 4, '00')),
      candidate('b', 0, victim('r', 5, '00'), victim('s', 3, '00')),
    ],
    [
      'has fewer victims, even of negative priority',
      candidate('a', 0, victim('p', -5, '00'), victim('q', -5, '00')),
      candidate('b', 0, victim('r', -5, '00')),
    ],
    [
      'has most important victims that started last',
      candidate('a', 0, victim('p', 5, '01'), victim('q', 4, '09')),
      candidate('b', 0, victim('r', 5, '02'), victim('s', 4, '00')),
    ],
  ])('%s', (_what, worse, better) => {
    expect(bestCandidates([worse, better])).toEqual([better]);
    expect(bestCandidates([better, worse])).toEqual([better]);
  });

  test('is one of several that are equal in all costs', () => {
    const both = [candidate('a', 0, victim('p', 5, '00')), candidate('b', 0, victim('q', 5, '00'))];
    expect(bestCandidates(both)).toEqual(both);
  });
});

test.each([
  [50, 50],
  [1000, 100],
  [5000, 500],
])('of %i candidate nodes %i must offer victims', (nodes, wanted) => {
  expect(candidatesToFind(nodes, { minCandidateNodesPercentage: 10, minCandidateNodesAbsolute: 100 })).toBe(wanted);
});

/** Schedules a pod of priority 10 in a cluster of two nodes full of pods with lower priority. */
async function preempt(given: Partial<SharedContext>): Promise<{ message: string; node: string | undefined }> {
  const framework = new Framework(defaultProfile, builtInPlugins, sharedContext(given));
  const cache = new SchedulerCache();
  for (const [index, name] of ['n1', 'n2'].entries()) {
    cache.setNode(nodeOf({ name, allocatable: { cpu: '1', memory: '8Gi', pods: '10' } }));
    cache.setPod(podOf({ name: `low-${index}`, nodeName: name, requests: { cpu: '1' }, priority: index }));
  }
  const snapshot = new Snapshot();
  cache.update(snapshot);
  const urgent = podInfoOf({ name: 'urgent', requests: { cpu: '1' }, priority: 10 });
  try {
    await new PodScheduler(snapshot, new SeededRandom(1)).schedule(framework, new Cycle(urgent));
  } catch (error) {
    if (error instanceof FitError) return { message: error.message, node: error.nominatedNodeName };
    throw error;
  }
  throw new Error('the pod fits');
}

const full = '0/2 nodes are available: 2 Insufficient cpu.';

describe('extenders', () => {
  const extender = (
    answer: (victims: ReadonlyMap<string, Victims>) => ReadonlyMap<string, Victims>,
    isIgnorable = false,
  ): Extender => ({ name: 'e', isIgnorable, preempt: async (_pod, victims) => answer(victims) });
  const none = (): never => {
    throw new Error('the extender is broken');
  };

  test('choose among victims, one after the other', async () => {
    expect(await preempt({})).toEqual({ message: full, node: 'n1' });
    const seen: string[][] = [];
    const notFirst = extender((victims) => {
      seen.push([...victims.keys()]);
      return new Map([...victims].filter(([node]) => node !== 'n1'));
    });
    expect(await preempt({ extenders: [notFirst, notFirst] })).toEqual({ message: full, node: 'n2' });
    expect(seen.map((names) => names.sort())).toEqual([['n1', 'n2'], ['n2']]);
  });

  test('may reject every candidate', async () => {
    expect(await preempt({ extenders: [extender(() => new Map())] })).toEqual({
      message: `${full} no new claims to deallocate, preemption: no candidate node for preemption`,
      node: undefined,
    });
  });

  test('that fail end preemption, unless they are ignorable', async () => {
    expect(await preempt({ extenders: [extender(none)] })).toEqual({
      message: `${full} preemption: the extender is broken`,
      node: undefined,
    });
    expect(await preempt({ extenders: [extender(none, true)] })).toEqual({ message: full, node: 'n1' });
  });

  test('must name victims', async () => {
    const empty = (victims: ReadonlyMap<string, Victims>): ReadonlyMap<string, Victims> =>
      new Map([...victims].map(([node, one]) => [node, node === 'n1' ? { pods: [], budgetViolations: 0 } : one]));
    expect((await preempt({ extenders: [extender(empty)] })).message).toBe(
      `${full} preemption: expected at least one victim pod on node "n1"`,
    );
    expect(await preempt({ extenders: [extender(empty, true)] })).toEqual({ message: full, node: 'n2' });
  });
});

test('a pod whose victims could not be deleted is retried at once', async () => {
  const tasks: Promise<void>[] = [];
  const activated: string[] = [];
  const { signal } = new AbortController();
  await preempt({
    runInBackground: (task) => void tasks.push(task({ signal })),
    activate: (key) => void activated.push(key),
  });
  expect(activated).toEqual([]);
  await Promise.all(tasks); // there is no API server, so nothing can be deleted
  expect(activated).toEqual(['default/urgent']);
});
