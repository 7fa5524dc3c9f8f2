import { describe, expect, test, vi } from 'vitest';
import { discardLogger, LineLogger, MetricRegistry, VirtualClock } from '../../base/index.ts';
import { ConfigMap, type Event, type Node, type Observed, type Pod } from '../../client/index.ts';
import { TestCluster } from '../../client/testing/test-cluster.ts';
import { controller, type EventDetails, type Part } from '../index.ts';
import type { EventRecorder } from '../events.ts';
import { CutTransport } from '../testing/cut-transport.ts';
import { runApp, type RunningApp } from '../testing/running-app.ts';
import { EventWriter } from './event-writer.ts';

/** A part that only provides a recorder. */
function recording(component: string, host?: string): Part & { recorder: EventRecorder } {
  return {
    name: 'recording',
    recorder: { event: () => undefined },
    prepare(context) {
      this.recorder = context.events(component, host === undefined ? {} : { host });
      return { run: async () => undefined, isIdle: true };
    },
  };
}

async function eventsOf({ client }: RunningApp, namespace = 'default'): Promise<readonly Observed<Event>[]> {
  return (await client.core.v1.events.namespace(namespace).list()).items;
}

async function makePod({ client }: RunningApp): Promise<Observed<Pod>> {
  return client.core.v1.pods
    .namespace('default')
    .create({ metadata: { name: 'p' }, spec: { containers: [{ name: 'c', image: 'i' }] } });
}

const started: EventDetails = { reason: 'Started', message: 'Started container c' };

describe('events', () => {
  test('are written as Kubernetes writes them', async () => {
    const part = recording('kubelet', 'node-1');
    await using running = await runApp([part]);
    const pod = await makePod(running);
    part.recorder.event({ ...pod, fieldPath: 'spec.containers{c}' }, started);
    await running.settle();

    const [event] = await eventsOf(running);
    const { metadata, ...rest } = event!;
    const nanos = BigInt(`0x${metadata.name.slice('p.'.length)}`);
    expect(nanos / 1_000_000n).toBe(BigInt(running.clock.now()));
    expect(metadata).toMatchObject({ name: `p.${nanos.toString(16)}`, namespace: 'default' });
    expect(rest).toEqual({
      kind: 'Event',
      apiVersion: 'v1',
      involvedObject: {
        kind: 'Pod',
        apiVersion: 'v1',
        namespace: 'default',
        name: 'p',
        uid: pod.metadata.uid,
        resourceVersion: pod.metadata.resourceVersion,
        fieldPath: 'spec.containers{c}',
      },
      reason: 'Started',
      message: 'Started container c',
      source: { component: 'kubelet', host: 'node-1' },
      firstTimestamp: '2026-01-01T00:00:00Z',
      lastTimestamp: '2026-01-01T00:00:00Z',
      count: 1,
      type: 'Normal',
      eventTime: null,
      reportingComponent: 'kubelet',
      reportingInstance: 'node-1',
    });
  });

  test('that repeat raise a count, also after the first was deleted', async () => {
    const part = recording('kubelet');
    await using running = await runApp([part]);
    const pod = await makePod(running);
    part.recorder.event(pod, started);
    part.recorder.event(pod, started);
    await running.clock.advance('1m');
    part.recorder.event(pod, started);
    await running.settle();

    const [event, ...others] = await eventsOf(running);
    expect(others).toEqual([]);
    expect(event).toMatchObject({
      count: 3,
      firstTimestamp: '2026-01-01T00:00:00Z',
      lastTimestamp: '2026-01-01T00:01:00Z',
    });

    await running.client.core.v1.events.namespace('default').deleteCollection();
    part.recorder.event(pod, started);
    await running.settle();
    expect(await eventsOf(running)).toMatchObject([{ count: 4, metadata: { name: event?.metadata.name } }]);
  });

  test('are combined when many differ only in their message', async () => {
    const part = recording('kubelet');
    await using running = await runApp([part]);
    const pod = await makePod(running);
    for (let index = 1; index <= 12; index++) part.recorder.event(pod, { ...started, message: `try ${index}` });
    await running.settle();

    const events = (await eventsOf(running)).map(({ message, count }) => [message, count]);
    expect(events).toHaveLength(10);
    expect(events).toContainEqual(['try 9', 1]);
    expect(events).toContainEqual(['(combined from similar events): try 12', 3]);
  });

  test('of a busy source are dropped until some time has passed', async () => {
    const part = recording('kubelet');
    await using running = await runApp([part]);
    const pod = await makePod(running);
    const talk = async (): Promise<number> => {
      for (let index = 0; index < 30; index++) part.recorder.event(pod, { reason: `Reason${index}`, message: 'again' });
      await running.settle();
      return (await eventsOf(running)).reduce((sum, { count = 0 }) => sum + count, 0);
    };
    expect(await talk()).toBe(25);
    await running.clock.advance('11m');
    part.recorder.event(pod, { reason: 'Later', message: 'again' });
    await running.settle();
    expect((await eventsOf(running)).some(({ reason }) => reason === 'Later')).toBe(true);
  });

  test('with an action are written as events.k8s.io events, and become series', async () => {
    const part = recording('default-scheduler');
    await using running = await runApp([part]);
    const pod = await makePod(running);
    const failed: EventDetails = {
      type: 'Warning',
      reason: 'FailedScheduling',
      action: 'Scheduling',
      message: 'no nodes',
    };
    part.recorder.event(pod, failed);
    await running.settle();
    const [first] = await eventsOf(running);
    expect(first).toMatchObject({
      eventTime: '2026-01-01T00:00:00.000000Z',
      action: 'Scheduling',
      reportingComponent: 'default-scheduler',
      reportingInstance: 'default-scheduler',
      source: {},
      firstTimestamp: null,
    });
    expect(first).not.toHaveProperty('count');

    for (let times = 0; times < 3; times++) {
      await running.clock.advance('10s');
      part.recorder.event(pod, failed);
    }
    await running.settle();
    expect(await eventsOf(running)).toMatchObject([
      { series: { count: 2, lastObservedTime: '2026-01-01T00:00:10.000000Z' } },
    ]);

    await running.clock.advance('15m');
    expect(await eventsOf(running)).toMatchObject([
      { series: { count: 4, lastObservedTime: '2026-01-01T00:00:30.000000Z' } },
    ]);
    part.recorder.event(pod, failed);
    await running.settle();
    expect(await eventsOf(running)).toHaveLength(2);
  });

  test('about cluster-scoped objects are in namespace default', async () => {
    const part = recording('x');
    await using running = await runApp([part]);
    const node = await running.client.core.v1.nodes.create({ metadata: { name: 'n' } });
    part.recorder.event(node as Observed<Node>, { type: 'Warning', reason: 'Broken', message: 'm' });
    await running.settle();

    expect(await eventsOf(running)).toMatchObject([{ type: 'Warning', involvedObject: { kind: 'Node', name: 'n' } }]);
  });

  test('beyond the capacity are dropped and counted', async () => {
    await using cluster = await TestCluster.start();
    const client = cluster.client();
    const dropped = new MetricRegistry().counter({ name: 'dropped', help: '' }).with();
    const lines: string[] = [];
    const log = new LineLogger({ clock: client.clock, level: 'warn', write: (line) => void lines.push(line) });
    const writer = new EventWriter({ client, log, dropped, capacity: 5 });
    const recorder = writer.recorder({ component: 'x' });
    for (let index = 0; index < 8; index++) {
      const about = { kind: 'ConfigMap', apiVersion: 'v1', metadata: { name: `m${index}`, namespace: 'default' } };
      recorder.event(about, { reason: 'R', message: 'm' });
    }
    expect(dropped.value).toBe(3);
    const stop = new AbortController();
    const running = writer.run(stop.signal);
    stop.abort();
    await running;
    expect(lines).toEqual([expect.stringMatching(/events dropped.*count=3/)]);

    const events = (await client.core.v1.events.namespace('default').list()).items;
    expect(events.map(({ involvedObject }) => involvedObject.name).sort()).toEqual(['m0', 'm1', 'm2', 'm3', 'm4']);
  });

  test('of a paced writer wait for their turn, and none is lost', async () => {
    const clock = new VirtualClock();
    await using cluster = await TestCluster.start({ clock });
    const client = cluster.client();
    const dropped = new MetricRegistry().counter({ name: 'dropped', help: '' }).with();
    const writer = new EventWriter({ client, log: discardLogger, dropped, pace: { perSecond: 1, burst: 2 } });
    const recorder = writer.recorder({ component: 'x' });
    const stop = new AbortController();
    const running = writer.run(stop.signal);
    for (let index = 0; index < 5; index++) {
      const about = { kind: 'ConfigMap', apiVersion: 'v1', metadata: { name: `m${index}`, namespace: 'default' } };
      recorder.event(about, { reason: 'R', message: 'm' });
    }
    const written: number[] = [];
    for (let second = 0; second < 5; second++) {
      await clock.advance(second === 0 ? 0 : '1s');
      await vi.waitUntil(() => writer.isIdle);
      written.push((await client.core.v1.events.namespace('default').list()).items.length);
    }
    expect(written).toEqual([2, 3, 4, 5, 5]);
    stop.abort();
    await running;
  });

  test('wait while the server is unreachable', async () => {
    await using cluster = await TestCluster.start();
    const transport = new CutTransport(cluster.transport('in process'));
    const dropped = new MetricRegistry().counter({ name: 'dropped', help: '' }).with();
    const writer = new EventWriter({ client: cluster.clientOver(transport), log: discardLogger, dropped });
    const stop = new AbortController();
    const running = writer.run(stop.signal);
    transport.state = 'cut';
    const about = { kind: 'ConfigMap', apiVersion: 'v1', metadata: { name: 'm', namespace: 'default' } };
    writer.recorder({ component: 'x' }).event(about, { reason: 'R', message: 'm' });
    await (cluster.clock as VirtualClock).advance('1m');
    expect(writer.isIdle).toBe(true);
    transport.state = 'whole';
    await (cluster.clock as VirtualClock).advance('10s');

    expect((await cluster.client().core.v1.events.namespace('default').list()).items).toHaveLength(1);
    expect(dropped.value).toBe(0);
    stop.abort();
    await running;
  });

  test('of a controller name its component, and the last ones are written when the app stops', async () => {
    const part = controller(ConfigMap, {
      where: { labelSelector: 'talk' },
      component: 'talker',
      reconcile: (_map, { event }) => event({ reason: 'Seen', message: 'saw it' }),
    });
    await using running = await runApp([part]);
    await running.client.core.v1.configmaps
      .namespace('default')
      .create({ metadata: { name: 'm', labels: { talk: '' } } });
    await running.settle();
    await running.stop();

    expect(await eventsOf(running)).toMatchObject([
      { reason: 'Seen', source: { component: 'talker' }, involvedObject: { kind: 'ConfigMap', name: 'm' } },
    ]);
  });
});
