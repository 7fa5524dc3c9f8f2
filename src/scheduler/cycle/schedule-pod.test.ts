import { describe, expect, test } from 'vitest';
import { SeededRandom } from '../../base/index.ts';
import { SchedulerCache } from '../cache/scheduler-cache.ts';
import { Snapshot } from '../cache/snapshot.ts';
import { Cycle } from '../framework/cycle.ts';
import { Framework } from '../framework/framework.ts';
import { defaultProfile } from '../framework/profile.ts';
import { builtInPlugins } from '../plugins/registry.ts';
import { nodeInfoOf, nodeOf, podInfoOf, podOf, sharedContext } from '../testing/objects.ts';
import { feasibleNodesToFind, type Placement, PodScheduler, selectNode } from './schedule-pod.ts';

type PodSketch = NonNullable<Parameters<typeof podInfoOf>[0]>;
type NodeSketch = NonNullable<Parameters<typeof nodeOf>[0]>;

const framework = new Framework(defaultProfile, builtInPlugins, sharedContext());

function clusterOf(
  nodes: readonly NodeSketch[],
  pods: readonly PodSketch[] = [],
): (pod: PodSketch) => Placement | Promise<Placement> {
  const cache = new SchedulerCache();
  for (const node of nodes) cache.setNode(nodeOf(node));
  for (const [index, pod] of pods.entries()) cache.setPod(podOf({ name: `other-${index}`, ...pod }));
  const snapshot = new Snapshot();
  cache.update(snapshot);
  const scheduler = new PodScheduler(snapshot, new SeededRandom(1));
  return (pod) => scheduler.schedule(framework, new Cycle(podInfoOf(pod)));
}

async function whyNot(pod: PodSketch, nodes: readonly NodeSketch[], pods: readonly PodSketch[] = []): Promise<string> {
  try {
    return `scheduled to ${(await clusterOf(nodes, pods)(pod)).nodeName}`;
  } catch (error) {
    return (error as Error).message;
  }
}

describe('feasibleNodesToFind()', () => {
  test.each([
    [10, undefined, 10],
    [99, 50, 99],
    [100, undefined, 100],
    [200, undefined, 100],
    [1000, undefined, 420],
    [5000, undefined, 500],
    [6000, undefined, 300],
    [100_000, undefined, 5000],
    [1000, 40, 400],
    [1000, 5, 100],
    [1000, 100, 1000],
  ])('of %i nodes at %s %% is %i', (nodes, percentage, expected) => {
    expect(feasibleNodesToFind(nodes, percentage)).toBe(expected);
  });
});

test('selectNode() picks one of the best at random, each equally often', () => {
  const nodes = ['a', 'b', 'c', 'd'].map((name) => nodeInfoOf({ name }));
  const scores = Float64Array.of(5, 9, 9, 9);
  const random = new SeededRandom('ties');
  const counts = new Map<string, number>();
  for (let round = 0; round < 3000; round++) {
    const { name } = selectNode(nodes, scores, random);
    counts.set(name, (counts.get(name) ?? 0) + 1);
  }
  expect([...counts.keys()].sort()).toEqual(['b', 'c', 'd']);
  for (const count of counts.values()) expect(Math.abs(count - 1000)).toBeLessThan(120);
});

describe('PodScheduler', () => {
  test('spreads pods: the emptiest node is the best', () => {
    const requests = { cpu: '2', memory: '4Gi' };
    const place = clusterOf([{ name: 'n1' }, { name: 'n2' }], [{ requests, nodeName: 'n1' }]);
    expect(place({ requests: { cpu: '1', memory: '2Gi' } })).toEqual({
      nodeName: 'n2',
      evaluatedNodes: 2,
      feasibleNodes: 2,
    });
  });

  test('evaluates part of a large cluster, and continues where it ended', () => {
    const nodes = Array.from({ length: 400 }, (_, index) => ({ name: `n${index}` }));
    const place = clusterOf(nodes);
    const seen = new Set<string>();
    for (let round = 0; round < 300; round++) {
      const { nodeName, feasibleNodes } = place({}) as Placement;
      expect(feasibleNodes).toBe(188); // 47 %
      seen.add(nodeName);
    }
    expect(seen.size).toBeGreaterThan(200);
  });

  test('chooses the nominated node if it fits', () => {
    const place = clusterOf([{ name: 'n1' }, { name: 'n2', unschedulable: true }]);
    expect(place({ status: { nominatedNodeName: 'n1' } })).toMatchObject({ nodeName: 'n1', evaluatedNodes: 1 });
    expect(place({ status: { nominatedNodeName: 'n2' } })).toMatchObject({ nodeName: 'n1', evaluatedNodes: 2 });
  });
});

describe('the message for a pod that fits nowhere', () => {
  const noHelp = (count: number): string =>
    `no new claims to deallocate, preemption: 0/${count} nodes are available: ${count} Preemption is not helpful for scheduling.`;
  const byName = (...values: string[]): PodSketch['affinity'] => ({
    nodeAffinity: {
      requiredDuringSchedulingIgnoredDuringExecution: {
        nodeSelectorTerms: [
          { matchFields: values.map((value) => ({ key: 'metadata.name', operator: 'In', values: [value] })) },
        ],
      },
    },
  });

  test('without any node', async () => {
    expect(await whyNot({}, [])).toBe('no nodes available to schedule pods');
  });

  test('with a different reason for each node, sorted', async () => {
    const nodes = [
      { name: 'n1', unschedulable: true },
      { name: 'n2', taints: [{ key: 'a', effect: 'NoSchedule' as const }] },
      { name: 'n3', taints: [{ key: 'b', effect: 'NoExecute' as const }] },
    ];
    expect(await whyNot({}, nodes)).toBe(
      '0/3 nodes are available: 1 node(s) were unschedulable, 2 node(s) had untolerated taint(s). ' + noHelp(3),
    );
  });

  test('when nodes are too small', async () => {
    expect(await whyNot({ requests: { cpu: '5', memory: '9Gi' } }, [{ name: 'n1' }, { name: 'n2' }])).toBe(
      '0/2 nodes are available: 2 Insufficient cpu, 2 Insufficient memory. ' + noHelp(2),
    );
  });

  test('when nodes are full with pods of the same priority', async () => {
    const full = { requests: { cpu: '4' }, nodeName: 'n1' };
    expect(
      await whyNot({ requests: { cpu: '1' } }, [{ name: 'n1' }, { name: 'n2', unschedulable: true }], [full]),
    ).toBe(
      '0/2 nodes are available: 1 Insufficient cpu, 1 node(s) were unschedulable. no new claims to deallocate, ' +
        'preemption: 0/2 nodes are available: 1 No preemption victims found for incoming pod, ' +
        '1 Preemption is not helpful for scheduling.',
    );
  });

  test('when removing pods of lower priority does not make enough room', async () => {
    const pods = [
      { requests: { cpu: '3' }, priority: 10, nodeName: 'n1' },
      { requests: { cpu: '1' }, nodeName: 'n1' },
    ];
    expect(await whyNot({ requests: { cpu: '2' }, priority: 5 }, [{ name: 'n1' }], pods)).toBe(
      '0/1 nodes are available: 1 Insufficient cpu. no new claims to deallocate, ' +
        'preemption: 0/1 nodes are available: 1 Insufficient cpu.',
    );
  });

  test('when removing pods of lower priority makes room, which kube-scheduler would then delete', async () => {
    const full = { requests: { cpu: '4' }, nodeName: 'n1' };
    expect(await whyNot({ requests: { cpu: '1' }, priority: 5 }, [{ name: 'n1' }], [full])).toBe(
      '0/1 nodes are available: 1 Insufficient cpu.',
    );
  });

  test('when the pod never preempts others', async () => {
    const full = { requests: { cpu: '4' }, nodeName: 'n1' };
    const pod = { requests: { cpu: '1' }, priority: 5, preemptionPolicy: 'Never' as const };
    expect(await whyNot(pod, [{ name: 'n1' }], [full])).toBe(
      '0/1 nodes are available: 1 Insufficient cpu. no new claims to deallocate, ' +
        'preemption: not eligible due to preemptionPolicy=Never.',
    );
  });

  test('when the pod requests a node by name that does not fit', async () => {
    expect(await whyNot({ affinity: byName('n1') }, [{ name: 'n1', unschedulable: true }, { name: 'n2' }])).toBe(
      "0/2 nodes are available: 1 node(s) didn't satisfy plugin(s) [NodeAffinity], 1 node(s) were unschedulable. " +
        noHelp(2),
    );
  });

  test('when the pod requests contradictory node names', async () => {
    expect(await whyNot({ affinity: byName('n1', 'n2') }, [{ name: 'n1' }])).toBe(
      '0/1 nodes are available: pod affinity terms conflict. not found',
    );
  });
});
