import { describe, expect, test } from 'vitest';
import { mergePatch, type Observed, type Pod } from '../client/index.ts';
import { startNodes } from './testing/simulated-nodes.ts';
import type { NodeCluster } from '../node/testing/node-cluster.ts';
import { simulatedBackend } from './index.ts';

type Needs = Readonly<Record<'requests' | 'limits', Readonly<Record<string, string>>>>;

function needs(cpu: string, memory: string): Needs {
  return { requests: { cpu, memory }, limits: { cpu, memory } };
}

const IMAGE = 'nginx:1.29';

async function resize(cluster: NodeCluster, name: string, spec: object): Promise<Observed<Pod>> {
  await cluster.pods.subresource('resize').patch(name, mergePatch({ spec }));
  await cluster.settle();
  return cluster.pods.get(name) as Promise<Observed<Pod>>;
}

function conditionsOf({ status }: Observed<Pod>): string[] {
  return (status?.conditions ?? [])
    .filter(({ type }) => type.startsWith('PodResize'))
    .map(({ type, status: value, reason = '', message = '' }) => `${type}=${value} ${reason} ${message}`.trim());
}

describe('resizing a pod', () => {
  test('changes what is allocated and in force, and tells of its start and its end', async () => {
    await using cluster = await startNodes();
    const containers = [{ name: 'web', image: IMAGE, resources: needs('1', '1Gi') }];
    await cluster.run({ metadata: { name: 'a' }, spec: { containers } });
    const followed = cluster.follow('a');
    const pod = await resize(cluster, 'a', { containers: [{ ...containers[0], resources: needs('2', '1Gi') }] });
    await followed.end();
    expect(pod.status?.containerStatuses?.[0]).toMatchObject({
      restartCount: 0,
      allocatedResources: { cpu: '2', memory: '1Gi' },
      resources: needs('2', '1Gi'),
    });
    expect(pod.status?.resources).toEqual(needs('2', '1Gi'));
    expect(pod.status?.allocatedResources).toEqual({ cpu: '2', memory: '1Gi' });
    expect(pod.status?.observedGeneration).toBe(2);
    expect(conditionsOf(pod)).toEqual([]);
    const under = followed.states.find((each) => conditionsOf(each).length > 0);
    expect(under === undefined ? [] : conditionsOf(under)).toEqual(['PodResizeInProgress=True']);
    expect(under?.status?.containerStatuses?.[0]?.resources).toEqual(needs('1', '1Gi'));
    const resources = '{"limits":{"cpu":"2","memory":"1Gi"},"requests":{"cpu":"2","memory":"1Gi"}}';
    const summary = `{"containers":[{"name":"web","resources":${resources}}],"generation":2}`;
    expect((await cluster.events('a')).slice(-2)).toEqual([
      `Normal ResizeStarted: Pod resize started: ${summary}`,
      `Normal ResizeCompleted: Pod resize completed: ${summary}`,
    ]);
  });

  test('restarts containers whose policy asks for it', async () => {
    await using cluster = await startNodes();
    const resizePolicy = [{ resourceName: 'memory', restartPolicy: 'RestartContainer' }];
    const container = { name: 'web', image: IMAGE, resources: needs('1', '1Gi'), resizePolicy };
    await cluster.run({ metadata: { name: 'a' }, spec: { containers: [container] } });
    const same = await resize(cluster, 'a', { containers: [{ ...container, resources: needs('2', '1Gi') }] });
    expect(same.status?.containerStatuses?.[0]?.restartCount).toBe(0);
    await resize(cluster, 'a', { containers: [{ ...container, resources: needs('2', '2Gi') }] });
    await cluster.advance('40s');
    const pod = (await cluster.pods.get('a')) as Observed<Pod>;
    expect(pod.status?.containerStatuses?.[0]).toMatchObject({ restartCount: 1, resources: needs('2', '2Gi') });
    expect(conditionsOf(pod)).toEqual([]);
    expect(await cluster.events('a')).toContain('Normal Killing: Container web resize requires restart');
  });

  test('waits for room, the higher priority first', async () => {
    await using cluster = await startNodes({ backend: simulatedBackend({ capacity: { cpu: '4' } }) });
    const containers = [{ name: 'web', image: IMAGE, resources: needs('1', '1Gi') }];
    await cluster.client.scheduling.v1.priorityclasses.create({ metadata: { name: 'high' }, value: 100 });
    for (const name of ['low', 'high', 'other']) {
      const priority = name === 'high' ? { priorityClassName: 'high' } : {};
      await cluster.run({ metadata: { name }, spec: { ...priority, containers } });
    }
    const larger = { containers: [{ ...containers[0], resources: needs('3', '1Gi') }] };
    const low = await resize(cluster, 'low', larger);
    const words = "Node didn't have enough resource: cpu, requested: 3000, used: 2000, capacity: 4000";
    expect(conditionsOf(low)).toEqual([`PodResizePending=True Deferred ${words}`]);
    expect(low.status?.containerStatuses?.[0]?.resources).toEqual(needs('1', '1Gi'));
    expect((await cluster.events('low')).at(-1)).toContain('Warning ResizeDeferred: Pod resize OutOfcpu: {');
    await resize(cluster, 'high', larger);
    await cluster.pods.delete('other', { gracePeriodSeconds: 0 });
    await cluster.settle();
    await cluster.advance('1s');
    const [high, still] = [await cluster.pods.get('high'), await cluster.pods.get('low')];
    expect(high.status?.containerStatuses?.[0]?.allocatedResources).toMatchObject({ cpu: '3' });
    expect(conditionsOf(still as Observed<Pod>)[0]).toContain('Deferred');
    const reverted = await resize(cluster, 'low', { containers });
    expect(conditionsOf(reverted)).toEqual([]);
  });

  test('that is pending is still pending after the agent was restarted', async () => {
    await using cluster = await startNodes({ backend: simulatedBackend({ capacity: { cpu: '2' } }) });
    const containers = [{ name: 'web', image: IMAGE, resources: needs('1', '1Gi') }];
    await cluster.run({ metadata: { name: 'a' }, spec: { containers } });
    await cluster.run({ metadata: { name: 'b' }, spec: { containers } });
    await resize(cluster, 'a', { containers: [{ ...containers[0], resources: needs('2', '1Gi') }] });
    await cluster.stopNodes();
    await cluster.startNodes();
    await cluster.advance('60s');
    const pod = (await cluster.pods.get('a')) as Observed<Pod>;
    expect(conditionsOf(pod)[0]).toContain('Deferred');
    expect(pod.status?.containerStatuses?.[0]).toMatchObject({ restartCount: 0, resources: needs('1', '1Gi') });
  });

  test('changes pod-level resources, and with them containers without limits', async () => {
    await using cluster = await startNodes();
    const spec = { resources: needs('1', '1Gi'), containers: [{ name: 'web', image: IMAGE }] };
    await cluster.run({ metadata: { name: 'a' }, spec });
    const pod = await resize(cluster, 'a', { ...spec, resources: needs('2', '1Gi') });
    expect(pod.status?.resources).toEqual(needs('2', '1Gi'));
    expect(conditionsOf(pod)).toEqual([]);
    expect((await cluster.events('a')).at(-1)).toContain('ResizeCompleted');
  });
});
