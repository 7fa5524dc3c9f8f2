import { describe, expect, test } from 'vitest';
import { settle } from '../base/index.ts';
import { bindPod, ConfigMap, jsonPatch, mergePatch } from '../client/index.ts';
import type { Extender } from './framework/extender.ts';
import type { Plugin } from './framework/plugin.ts';
import type { PluginFactory } from './framework/plugin-context.ts';
import { defaultProfile, type Profile } from './framework/profile.ts';
import { unschedulable } from './framework/rejection.ts';
import { scheduler, type SchedulerOptions } from './scheduler.ts';
import { SchedulerRun } from './testing/scheduler-run.ts';

const NO_HELP =
  'no new claims to deallocate, preemption: 0/1 nodes are available: 1 Preemption is not helpful for scheduling.';
const TOO_LARGE = `0/1 nodes are available: 1 Insufficient cpu. ${NO_HELP}`;

/** The default profile with a plugin of the test before the others. */
function withPlugin(plugin: Plugin): SchedulerOptions {
  const profile: Profile = { ...defaultProfile, plugins: [{ name: plugin.name }, ...defaultProfile.plugins] };
  return { profiles: [profile], plugins: new Map([[plugin.name, () => plugin]]) };
}

describe('the scheduler', () => {
  test('binds a pod to the best node and records an event', async () => {
    await using run = await SchedulerRun.start();
    await run.addNode('n1', { taints: [{ key: 'k', effect: 'NoSchedule' }] });
    await run.addNode('n2');
    await run.addPod('web');
    expect(await run.nodeOf('web')).toBe('n2');
    expect(await run.scheduled('web')).toBe('True');
    expect(await run.events('web')).toEqual([
      'Normal Scheduled default-scheduler Successfully assigned default/web to n2',
    ]);
    expect(run.isIdle).toBe(true);
  });

  test('spreads pods over the nodes', async () => {
    await using run = await SchedulerRun.start();
    for (const name of ['n1', 'n2', 'n3']) await run.addNode(name);
    const names = Array.from({ length: 9 }, (_, index) => `web-${index}`);
    for (const name of names) await run.addPod(name, { requests: { cpu: '100m', memory: '100Mi' } });
    const nodes = await Promise.all(names.map((name) => run.nodeOf(name)));
    for (const node of ['n1', 'n2', 'n3']) expect(nodes.filter((name) => name === node).length).toBe(3);
  });

  test('reports why a pod fits nowhere, and binds it when a suitable node is added', async () => {
    await using run = await SchedulerRun.start();
    await run.addNode('n1', { allocatable: { cpu: '1', memory: '1Gi', pods: '10' } });
    await run.addPod('web', { requests: { cpu: '2' } });
    expect(await run.nodeOf('web')).toBeUndefined();
    expect(await run.scheduled('web')).toBe(`False Unschedulable ${TOO_LARGE}`);
    expect(await run.events('web')).toEqual([`Warning FailedScheduling default-scheduler ${TOO_LARGE}`]);

    await run.addNode('n2');

    expect(await run.nodeOf('web')).toBe('n2');
    expect((await run.events('web')).at(-1)).toBe(
      'Normal Scheduled default-scheduler Successfully assigned default/web to n2',
    );
  });

  test('does not rewrite the status when a pod is rejected for the same reason', async () => {
    await using run = await SchedulerRun.start();
    await run.addNode('n1', { allocatable: { cpu: '1', memory: '1Gi', pods: '10' } });
    await run.addPod('web', { requests: { cpu: '2' } });
    const { resourceVersion } = (await run.pods.get('web')).metadata;
    await run.clock.advance('6m'); // retried because it has waited too long
    expect((await run.pods.get('web')).metadata.resourceVersion).toBe(resourceVersion);
  });

  test('retries pods that were rejected because there were no nodes', async () => {
    await using run = await SchedulerRun.start();
    await run.addPod('web');
    expect(await run.scheduled('web')).toBe('False Unschedulable no nodes available to schedule pods');
    await run.addNode('n1');
    expect(await run.nodeOf('web')).toBeUndefined();
    await run.clock.advance('2s');
    expect(await run.nodeOf('web')).toBe('n1');
  });

  test('frees the room of deleted and finished pods', async () => {
    await using run = await SchedulerRun.start();
    await run.addNode('n1');
    for (const name of ['a', 'b', 'c']) await run.addPod(name, { requests: { cpu: '3' } });
    expect(await Promise.all(['a', 'b', 'c'].map((name) => run.nodeOf(name)))).toEqual(['n1', undefined, undefined]);
    expect(await run.scheduled('b')).toContain('No preemption victims found for incoming pod');

    await run.pods.delete('a', { gracePeriodSeconds: 0 });
    await settle();
    expect(await run.nodeOf('b')).toBe('n1');

    await run.pods.status.patch('b', mergePatch({ status: { phase: 'Succeeded' } }));
    await settle();
    expect(await run.nodeOf('c')).toBe('n1');
  });

  test.each([
    ['the number of pods', { pods: '1' }, { pods: '2' }, {}],
    ['CPU', { cpu: '1' }, { cpu: '2' }, { cpu: '1' }],
    ['an extended resource', { 'example.com/gpu': '1' }, { 'example.com/gpu': '2' }, { 'example.com/gpu': '1' }],
  ])('tries a waiting pod again when a node gets more of what is short: %s', async (_what, short, more, requests) => {
    const room: Record<string, string> = { cpu: '4', memory: '8Gi', pods: '110' };
    await using run = await SchedulerRun.start();
    await run.addNode('n1', { allocatable: { ...room, ...short } });
    const limits: Record<string, string> = requests;
    for (const name of ['a', 'b']) {
      const containers = [{ name: 'main', image: 'image', resources: { requests: limits, limits } }];
      await run.addPod(name, { containers });
    }
    expect(await run.nodeOf('b')).toBeUndefined();

    await run.client.core.v1.nodes.status.patch('n1', mergePatch({ status: { allocatable: more } }));
    await settle();

    expect(await run.nodeOf('b')).toBe('n1');
  });

  test('ignores pods with another schedulerName or with scheduling gates', async () => {
    await using run = await SchedulerRun.start();
    await run.addNode('n1');
    await run.addPod('foreign', { schedulerName: 'other' });
    await run.addPod('gated', { schedulingGates: [{ name: 'example.com/wait' }] });
    expect([await run.nodeOf('foreign'), await run.scheduled('foreign')]).toEqual([undefined, undefined]);
    expect([await run.nodeOf('gated'), await run.scheduled('gated')]).toEqual([
      undefined,
      'False SchedulingGated Scheduling is blocked due to non-empty scheduling gates',
    ]);

    await run.pods.patch('gated', jsonPatch([{ op: 'remove', path: '/spec/schedulingGates' }]));
    await settle();
    expect(await run.nodeOf('gated')).toBe('n1');
  });

  test('serves several profiles', async () => {
    const second = { ...defaultProfile, schedulerName: 'second' };
    await using run = await SchedulerRun.start({ profiles: [defaultProfile, second] });
    await run.addNode('n1');
    await run.addPod('web', { schedulerName: 'second' });
    expect(await run.events('web')).toEqual(['Normal Scheduled second Successfully assigned default/web to n1']);
  });

  test('assigns each host port of a node once', async () => {
    await using run = await SchedulerRun.start();
    await run.addNode('n1');
    const port = (hostIP: string, protocol: 'TCP' | 'UDP'): object => ({
      containers: [{ name: 'c', image: 'i', ports: [{ containerPort: 1, hostPort: 54_321, hostIP, protocol }] }],
    });
    await run.addPod('a', port('127.0.0.1', 'TCP'));
    await run.addPod('b', port('127.0.0.2', 'TCP'));
    await run.addPod('c', port('127.0.0.2', 'UDP'));
    await run.addPod('d', port('0.0.0.0', 'TCP'));
    expect(await Promise.all(['a', 'b', 'c', 'd'].map((name) => run.nodeOf(name)))).toEqual([
      'n1',
      'n1',
      'n1',
      undefined,
    ]);
    expect(await run.scheduled('d')).toContain("1 node(s) didn't have free ports for the requested pod ports.");
  });

  test('retries a failed binding, and unreserves', async () => {
    const calls: string[] = [];
    const flaky: Plugin = {
      name: 'Flaky',
      reserve: (_, node) => void calls.push(`reserve ${node}`),
      unreserve: (_, node) => void calls.push(`unreserve ${node}`),
      async bind() {
        if (calls.length === 1) throw new Error('no luck');
        return false; // the next plugin's
      },
    };
    await using run = await SchedulerRun.start(withPlugin(flaky));
    await run.addNode('n1');
    await run.addPod('web', { requests: { cpu: '3' } });
    expect(calls).toEqual(['reserve n1', 'unreserve n1']);
    expect(await run.scheduled('web')).toBe('False SchedulerError running Bind plugin "Flaky": no luck');

    await run.addPod('other', { requests: { cpu: '1' } }); // there is room for both
    await run.clock.advance('2s');

    expect([await run.nodeOf('web'), await run.nodeOf('other')]).toEqual(['n1', 'n1']);
    expect(await run.scheduled('web')).toBe('True');
  });

  test('waits for Permit, and counts the pod meanwhile', async () => {
    let decide: (isAllowed: boolean) => void = () => undefined;
    const permit = (): Promise<ReturnType<typeof unschedulable> | undefined> =>
      new Promise((resolve) => {
        decide = (isAllowed) => resolve(isAllowed ? undefined : unschedulable('Guard', 'not today'));
      });
    const guard: Plugin = { name: 'Guard', permit: ({ pod }) => (pod.priority > 0 ? permit() : undefined) };
    await using run = await SchedulerRun.start(withPlugin(guard));
    await run.client.scheduling.v1.priorityclasses.create({ metadata: { name: 'high' }, value: 1 });
    await run.addNode('n1');
    await run.addPod('web', { requests: { cpu: '3' }, priority: 1, priorityClassName: 'high' });
    await run.addPod('other', { requests: { cpu: '3' } });
    expect(run.isIdle).toBe(false);
    expect(await run.scheduled('other')).toContain('1 Insufficient cpu');

    decide(false);
    await settle();

    expect(await run.scheduled('web')).toBe('False Unschedulable 0/1 nodes are available: 1 not today.');
    expect(await run.nodeOf('other')).toBe('n1');
    expect(run.isIdle).toBe(true);
  });

  test('ends the Permit wait of a pod that is deleted', async () => {
    let wait: AbortSignal | undefined;
    const guard: Plugin = {
      name: 'Guard',
      permit: ({ pod }, _node, { signal }) => {
        if (pod.pod.metadata.name !== 'web') return undefined;
        wait = signal;
        return new Promise(() => undefined);
      },
    };
    await using run = await SchedulerRun.start(withPlugin(guard));
    await run.addNode('n1');
    await run.addPod('web', { requests: { cpu: '3' } });
    await run.addPod('other', { requests: { cpu: '3' } });
    expect([await run.nodeOf('other'), wait?.aborted]).toEqual([undefined, false]);

    await run.pods.delete('web', { gracePeriodSeconds: 0 });
    await settle();

    expect([await run.nodeOf('other'), wait?.aborted, run.isIdle]).toEqual(['n1', true, true]);
  });

  test('holds the room for a pod that PostFilter nominated, until the nomination ends', async () => {
    const nothing = unschedulable('Maker', 'nothing can be done');
    const maker: Plugin = {
      name: 'Maker',
      events: [{ resource: 'Pod', actions: ['UpdatePodLabel'] }],
      preFilter: ({ pod }) => (pod.priority > 0 ? unschedulable('Maker', 'not yet') : undefined),
      async postFilter({ pod }) {
        if (pod.priority === 0) return nothing;
        const isOver = pod.pod.metadata.labels?.['over'] !== undefined;
        return isOver ? { ...nothing, nominatedNodeName: '' } : { nominatedNodeName: 'n1' };
      },
    };
    await using run = await SchedulerRun.start(withPlugin(maker));
    await run.client.scheduling.v1.priorityclasses.create({ metadata: { name: 'high' }, value: 1 });
    await run.stop();
    await run.addNode('n1');
    await run.addPod('other', { requests: { cpu: '3' } });
    await run.addPod('web', { requests: { cpu: '3' }, priorityClassName: 'high' });
    await run.restart(withPlugin(maker)); // the other one is scheduled before the watch reports the nomination
    expect((await run.pods.get('web')).status?.nominatedNodeName).toBe('n1');
    expect(await run.scheduled('web')).toBe('False Unschedulable 0/1 nodes are available: not yet.');
    expect(await run.scheduled('other')).toContain('1 Insufficient cpu. nothing can be done');

    await run.pods.patch('web', mergePatch({ metadata: { labels: { over: 'yes' } } }));
    await run.clock.advance('2s');

    expect((await run.pods.get('web')).status?.nominatedNodeName).toBeUndefined();
    expect(await run.nodeOf('other')).toBe('n1');
  });

  test('frees the room of a nominated pod when it is deleted', async () => {
    await using run = await SchedulerRun.start();
    await run.addNode('n1');
    await run.addPod('web', { requests: { cpu: '3' }, nodeSelector: { nowhere: 'yes' } });
    await run.pods.status.patch('web', mergePatch({ status: { nominatedNodeName: 'n1' } }));
    await run.addPod('other', { requests: { cpu: '3' } });
    expect(await run.nodeOf('other')).toBeUndefined();

    await run.pods.delete('web', { gracePeriodSeconds: 0 });
    await settle();

    expect(await run.nodeOf('other')).toBe('n1');
  });

  test('watches the kinds that plugins use, and no others', async () => {
    const ticket: PluginFactory = ({ objects }) => {
      const maps = objects(ConfigMap);
      return {
        name: 'Ticket',
        events: [{ resource: 'ConfigMap', actions: ['Add'] }],
        preFilter: ({ pod }) => (maps.get(pod.key) === undefined ? unschedulable('Ticket', 'no ticket') : undefined),
      };
    };
    const others = defaultProfile.plugins.filter(({ name }) => !name.includes('Volume'));
    const profile: Profile = { ...defaultProfile, plugins: [{ name: 'Ticket' }, ...others] };
    await using run = await SchedulerRun.start({ profiles: [profile], plugins: new Map([['Ticket', ticket]]) });
    expect(run.watched).toContain('ConfigMap');
    await run.addNode('n1');
    await run.addPod('web');
    expect(await run.scheduled('web')).toContain('no ticket');

    await run.client.core.v1.configmaps.namespace('default').create({ metadata: { name: 'web' } });
    await settle();

    expect(await run.nodeOf('web')).toBe('n1');
  });

  test('calls extenders, and binds through one', async () => {
    const bound: string[] = [];
    const extender: Extender = {
      name: 'gpu',
      isInterested: ({ requests }) => requests.scalar('example.com/gpu') > 0,
      filter: async () => ({ nodes: ['n2'], failed: new Map([['n1', 'no GPU left']]) }),
      async bind({ pod: { metadata } }, node, { signal }) {
        bound.push(metadata.name);
        const pods = run.client.core.v1.pods.namespace(metadata.namespace ?? '');
        await bindPod(pods, metadata.name, { node, uid: metadata.uid, signal });
      },
    };
    await using run = await SchedulerRun.start({ extenders: [extender] });
    const allocatable = { cpu: '4', memory: '8Gi', pods: '110', 'example.com/gpu': '8' };
    for (const name of ['n1', 'n2']) await run.addNode(name, { allocatable });
    const gpu = { 'example.com/gpu': '1' };
    const containers = [{ name: 'main', image: 'image', resources: { requests: gpu, limits: gpu } }];
    await run.addPod('web', { containers });
    await run.addPod('plain');
    expect([await run.nodeOf('web'), bound]).toEqual(['n2', ['web']]);
    expect(await run.nodeOf('plain')).toBeDefined();
  });

  test('frees the room of a pod that is deleted while it is being bound', async () => {
    const waiting: (() => void)[] = [];
    const slow: Plugin = {
      name: 'Slow',
      preBind: async ({ pod }) => {
        if (pod.pod.metadata.name === 'web') await new Promise<void>((resolve) => waiting.push(resolve));
      },
    };
    await using run = await SchedulerRun.start(withPlugin(slow));
    await run.addNode('n1');
    await run.addPod('web', { requests: { cpu: '3' } });
    await run.addPod('other', { requests: { cpu: '3' } });
    expect(await run.nodeOf('other')).toBeUndefined();

    await run.pods.delete('web');
    await settle();
    expect(await run.nodeOf('other')).toBe('n1');

    for (const resolve of waiting) resolve();
    await settle();
    expect(run.isIdle).toBe(true);
  });

  test('binds no more than 64 pods at the same time', async () => {
    let running = 0;
    let most = 0;
    const counter: Plugin = {
      name: 'Counter',
      async preBind() {
        most = Math.max(most, ++running);
        await new Promise((resolve) => void setImmediate(resolve));
        running -= 1;
      },
    };
    await using run = await SchedulerRun.start(withPlugin(counter));
    await run.stop();
    await run.addNode('n1', { allocatable: { cpu: '100', memory: '100Gi', pods: '500' } });
    for (let index = 0; index < 200; index++) await run.addPod(`web-${index}`);
    await run.restart(withPlugin(counter));
    while (!run.isIdle) await settle();
    const { items } = await run.pods.list({ limit: 0 });
    expect(items.filter(({ spec }) => spec?.nodeName === 'n1').length).toBe(200);
    expect(most).toBeGreaterThan(10);
    expect(most).toBeLessThanOrEqual(64);
  });

  test('continues where a previous scheduler stopped', async () => {
    await using run = await SchedulerRun.start();
    await run.addNode('n1');
    await run.addPod('first', { requests: { cpu: '3' } });
    await run.stop();
    await run.addPod('second', { requests: { cpu: '3' } });
    await run.addPod('third', { requests: { cpu: '1' } });
    expect(await run.nodeOf('third')).toBeUndefined();

    await run.restart();

    expect(await run.nodeOf('third')).toBe('n1');
    expect(await run.scheduled('second')).toContain('1 Insufficient cpu'); // the first pod counts
  });
});

test.each<[why: string, profiles: readonly Profile[]]>([
  ['without a profile', []],
  ['with two profiles of the same name', [defaultProfile, defaultProfile]],
])('a scheduler %s is refused', (_, profiles) => {
  expect(() => scheduler({ profiles })).toThrow('there must be a profile, and no two may have the same schedulerName');
});
