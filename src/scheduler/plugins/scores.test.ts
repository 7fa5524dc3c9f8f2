import { describe, expect, test } from 'vitest';
import type { NodeInfo } from '../cache/node-info.ts';
import { Snapshot } from '../cache/snapshot.ts';
import { Cycle } from '../framework/cycle.ts';
import { Framework } from '../framework/framework.ts';
import type { PluginUse } from '../framework/profile.ts';
import { runScores, ScoreSheet } from '../framework/run-scores.ts';
import { nodeInfoOf, podInfoOf, sharedContext } from '../testing/objects.ts';
import { builtInPlugins } from './registry.ts';

type PodSketch = NonNullable<Parameters<typeof podInfoOf>[0]>;

function scoresOf(use: PluginUse, pod: PodSketch, nodes: readonly NodeInfo[]): number[] {
  const plugins = [{ name: 'PrioritySort' }, use, { name: 'DefaultBinder' }];
  const context = sharedContext();
  const framework = new Framework({ schedulerName: 'test', plugins }, builtInPlugins, context);
  return [
    ...runScores(framework, new Cycle(podInfoOf(pod)), { nodes, snapshot: new Snapshot(), sheet: new ScoreSheet() }),
  ];
}

const room = { allocatable: { cpu: '4', memory: '10000', pods: '110', 'example.com/gpu': '4' } };

describe('NodeResourcesFit (LeastAllocated)', () => {
  const fit = { name: 'NodeResourcesFit' };
  const used = nodeInfoOf(room, [podInfoOf({ name: 'o', requests: { cpu: '3', memory: '5000' } })]);
  const empty = nodeInfoOf(room);

  test('prefers nodes with more free resources', () => {
    // used: cpu (4-4)/4 = 0, memory (10000-10000)/10000 = 0; empty: cpu 75, memory 50
    expect(scoresOf(fit, { requests: { cpu: '1', memory: '5000' } }, [used, empty])).toEqual([0, 62]);
  });

  test('rounds down, each resource and then their mean', () => {
    const odd = nodeInfoOf({ allocatable: { cpu: '3', memory: '3000', pods: '110' } });
    // cpu 2000/3000 = 66.6, memory 2999/3000 = 99.9: (66 + 99) / 2 = 82.5
    expect(scoresOf(fit, { requests: { cpu: '1', memory: '1' } }, [odd])).toEqual([82]);
    // cpu 66.6 and memory 66.6: rounding one mean of both would have given the same, rounding up would not
    expect(scoresOf(fit, { requests: { cpu: '1', memory: '1000' } }, [odd])).toEqual([66]);
  });

  test('assumes requests for containers that request nothing', () => {
    const large = { allocatable: { cpu: '1', memory: `${400 * 1024 * 1024}`, pods: '110' } };
    expect(scoresOf(fit, {}, [nodeInfoOf(large)])).toEqual([70]); // cpu 90, memory 50
  });

  test('weighs resources as configured, and skips scalar ones that the pod does not request', () => {
    const resources = [
      { name: 'cpu', weight: 3 },
      { name: 'example.com/gpu', weight: 1 },
    ];
    const args = { scoringStrategy: { type: 'LeastAllocated', resources } };
    expect(scoresOf({ ...fit, args }, { requests: { cpu: '2' } }, [empty])).toEqual([50]);
    expect(scoresOf({ ...fit, args }, { requests: { cpu: '2', 'example.com/gpu': '1' } }, [empty])).toEqual([56]);
  });

  test('rejects invalid arguments in the words of kube-scheduler', () => {
    const args = { scoringStrategy: { type: 'None', resources: [{ name: 'cpu', weight: 101 }] } };
    expect(() => scoresOf({ ...fit, args }, {}, [empty])).toThrow(
      'Cannot set up NodeResourcesFit: scoringStrategy.type: Unsupported value: "None": supported values: "LeastAllocated", ' +
        '"MostAllocated", "RequestedToCapacityRatio", scoringStrategy.resources[0].weight: Invalid value: 101: ' +
        'resource weight of cpu not in valid range (0, 100]',
    );
  });

  test('prefers fuller nodes with MostAllocated', () => {
    const args = { scoringStrategy: { type: 'MostAllocated' } };
    // used: cpu 4/4, memory 10000/10000; empty: cpu 25, memory 50
    expect(scoresOf({ ...fit, args }, { requests: { cpu: '1', memory: '5000' } }, [used, empty])).toEqual([100, 37]);
  });

  test('scores by the shape of RequestedToCapacityRatio, and skips resources with score 0', () => {
    const shape = [
      { utilization: 0, score: 0 },
      { utilization: 50, score: 10 },
      { utilization: 100, score: 5 },
    ];
    const args = { scoringStrategy: { type: 'RequestedToCapacityRatio', requestedToCapacityRatio: { shape } } };
    // empty: cpu 25 % -> 50, memory 50 % -> 100; used: both 100 % -> 50
    expect(scoresOf({ ...fit, args }, { requests: { cpu: '1', memory: '5000' } }, [used, empty])).toEqual([50, 75]);
    // cpu 0.1 % -> 0, which does not count, memory 75 % -> 75
    expect(scoresOf({ ...fit, args }, { requests: { cpu: '1m', memory: '7500' } }, [empty])).toEqual([75]);
  });
});

describe('NodeResourcesBalancedAllocation', () => {
  const balanced = { name: 'NodeResourcesBalancedAllocation' };

  test('prefers nodes that the pod balances', () => {
    const lopsided = nodeInfoOf(room, [podInfoOf({ name: 'o', requests: { cpu: '2' } })]);
    // lopsided: before |0.5-0|/2 -> 75, after |0.5-0.5| -> 100; empty: before 100, after |0-0.5|/2 -> 75
    expect(scoresOf(balanced, { requests: { memory: '5000' } }, [lopsided, nodeInfoOf(room)])).toEqual([87, 62]);
  });

  test('rounds down', () => {
    const odd = nodeInfoOf({ allocatable: { cpu: '3', memory: '3000', pods: '110' } });
    // before 100, after |1/3 - 0| / 2 -> 83.3: 50 + (50 + 83 - 100) / 2 = 66.5
    expect(scoresOf(balanced, { requests: { cpu: '1' } }, [odd])).toEqual([66]);
  });

  test('skips pods that request nothing', () => {
    expect(scoresOf(balanced, {}, [nodeInfoOf(room)])).toEqual([0]);
  });
});

describe('TaintToleration', () => {
  const taint = (key: string): { key: string; effect: 'PreferNoSchedule' } => ({ key, effect: 'PreferNoSchedule' });
  const nodes = [
    nodeInfoOf({ taints: [] }),
    nodeInfoOf({ taints: [taint('a')] }),
    nodeInfoOf({ taints: [taint('a'), taint('b')] }),
  ];

  test('prefers nodes with fewer taints that the pod does not tolerate', () => {
    expect(scoresOf({ name: 'TaintToleration' }, {}, nodes)).toEqual([100, 50, 0]);
    const tolerations = [{ key: 'a', operator: 'Exists' as const }];
    expect(scoresOf({ name: 'TaintToleration', weight: 3 }, { tolerations }, nodes)).toEqual([300, 300, 0]);
  });

  test('rounds the share of taints down', () => {
    const third = nodeInfoOf({ taints: [taint('a'), taint('b'), taint('c')] });
    expect(scoresOf({ name: 'TaintToleration' }, {}, [...nodes, third])).toEqual([100, 67, 34, 0]);
  });

  test('scores all nodes equally when none has such taints', () => {
    expect(scoresOf({ name: 'TaintToleration' }, {}, [nodeInfoOf(), nodeInfoOf()])).toEqual([100, 100]);
  });
});

describe('NodeAffinity', () => {
  test('adds up the weights of matching preferences, and scales the highest to 100', () => {
    const preference = (weight: number, key: string): object => ({
      weight,
      preference: { matchExpressions: [{ key, operator: 'Exists' }] },
    });
    const preferred = [preference(20, 'a'), preference(60, 'b'), { weight: 100, preference: {} }];
    const affinity = { nodeAffinity: { preferredDuringSchedulingIgnoredDuringExecution: preferred as never } };
    const labels: readonly Record<string, string>[] = [{ a: '' }, { b: '' }, { a: '', b: '' }, {}];
    const nodes = labels.map((one) => nodeInfoOf({ labels: one }));
    expect(scoresOf({ name: 'NodeAffinity' }, { affinity }, nodes)).toEqual([25, 75, 100, 0]);
  });

  test('skips pods without preferences', () => {
    expect(scoresOf({ name: 'NodeAffinity' }, {}, [nodeInfoOf()])).toEqual([0]);
  });
});
