import { describe, expect, test } from 'vitest';
import type { Observed, Pod } from '../../client/index.ts';
import { nodeAgents } from '../node-agents.ts';
import { MemoryMachine } from '../testing/memory-backend.ts';
import { NodeCluster } from '../testing/node-cluster.ts';
import { podOf } from '../testing/pod-views.ts';
import { podsToPreempt, type Shortage } from './critical-pods.ts';

const CRITICAL = 2_000_000_000;

function pod(
  name: string,
  cpu: string | undefined,
  more: { priority?: number; isGuaranteed?: boolean } = {},
): Observed<Pod> {
  const { priority = 0, isGuaranteed = false } = more;
  const requests: Record<string, string> = cpu === undefined ? {} : { cpu, memory: '1Gi' };
  const resources = isGuaranteed ? { requests, limits: requests } : { requests };
  const qosClass = cpu === undefined ? 'BestEffort' : isGuaranteed ? 'Guaranteed' : 'Burstable';
  return podOf({
    metadata: { name, uid: name },
    spec: { priority, containers: [{ name: 'web', resources }] },
    status: { qosClass },
  });
}

function chosen(active: readonly Observed<Pod>[], ...shortages: readonly Shortage[]): readonly string[] | undefined {
  const ended = podsToPreempt(pod('critical', '1', { priority: CRITICAL }), active, shortages);
  return ended?.map(({ metadata }) => metadata.name);
}

const lacksCpu = (amount: number): Shortage => ({ resource: 'cpu', amount });

describe('pods that make room for a critical one', () => {
  test('are those that come closest to what is missing, and no more than needed', () => {
    const active = [pod('small', '100m'), pod('large', '2'), pod('right', '500m')];
    expect(chosen(active, lacksCpu(500))).toEqual(['right']);
    expect(chosen(active, lacksCpu(2100))).toEqual(['large', 'small']);
  });

  test('are guaranteed ones only for what the others cannot free', () => {
    const active = [pod('guaranteed', '1', { isGuaranteed: true }), pod('burstable', '1')];
    expect(chosen(active, lacksCpu(800))).toEqual(['burstable']);
    expect(chosen(active, lacksCpu(1500))).toEqual(['burstable', 'guaranteed']);
  });

  test('are as many as there are pods too many', () => {
    expect(chosen([pod('a', undefined), pod('b', '1')], { resource: 'pods', amount: 1 })).toEqual(['a']);
  });

  test('are never critical ones, and none where all of them are too few', () => {
    const other = pod('other', '4', { priority: CRITICAL });
    expect(chosen([other, pod('small', '100m')], lacksCpu(500))).toBeUndefined();
  });
});

test('a node ends a pod for a critical one, which starts when the other has ended', async () => {
  const memory = new MemoryMachine();
  await using cluster = await NodeCluster.start(nodeAgents({ backend: memory.open }));
  const spec = (isCritical = false): NonNullable<Pod['spec']> => ({
    ...(isCritical ? { priorityClassName: 'system-cluster-critical' } : {}),
    containers: [{ name: 'web', image: 'nginx:1', resources: { requests: { cpu: '2' } } }],
  });
  await cluster.run({ metadata: { name: 'usual' }, spec: spec() });
  await cluster.run({ metadata: { name: 'vain' }, spec: spec() });
  expect((await cluster.pods.get('vain')).status?.reason).toBe('OutOfcpu');
  await cluster.run({ metadata: { name: 'critical' }, spec: spec(true) });
  await cluster.advance('5s');
  const { status } = await cluster.pods.get('usual');
  expect(status).toMatchObject({
    phase: 'Failed',
    reason: 'Preempting',
    message: 'Preempted in order to admit critical pod',
  });
  expect(status?.conditions?.find(({ type }) => type === 'DisruptionTarget')).toMatchObject({
    status: 'True',
    reason: 'TerminationByKubelet',
    message: 'Pod was preempted by Kubelet to accommodate a critical pod.',
  });
  expect(await cluster.events('usual')).toContain('Warning Preempting: Preempted in order to admit critical pod');
  expect((await cluster.pods.get('critical')).status?.phase).toBe('Running');
});

test('a critical pod that wants another node is rejected, and nothing ends for it', async () => {
  await using cluster = await NodeCluster.start(nodeAgents({ backend: new MemoryMachine().open }));
  const containers = [{ name: 'web', image: 'nginx:1', resources: { requests: { cpu: '2' } } }];
  await cluster.run({ metadata: { name: 'usual' }, spec: { containers } });
  const elsewhere = { priorityClassName: 'system-cluster-critical', nodeSelector: { zone: 'other' } };
  await cluster.run({ metadata: { name: 'critical' }, spec: { ...elsewhere, containers } });
  await cluster.advance('5s');
  expect((await cluster.pods.get('critical')).status?.phase).toBe('Failed');
  expect((await cluster.pods.get('usual')).status?.phase).toBe('Running');
});
