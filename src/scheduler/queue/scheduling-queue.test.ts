import { describe, expect, test } from 'vitest';
import { VirtualClock } from '../../base/index.ts';
import { assignedPodDelete } from '../framework/cluster-event.ts';
import { Framework } from '../framework/framework.ts';
import { defaultProfile } from '../framework/profile.ts';
import { builtInPlugins } from '../plugins/registry.ts';
import { nodeOf, podOf, sharedContext } from '../testing/objects.ts';
import type { QueuedPod } from './queued-pod.ts';
import { SchedulingQueue } from './scheduling-queue.ts';

type PodSketch = NonNullable<Parameters<typeof podOf>[0]>;

class Fixture implements Disposable {
  readonly clock = new VirtualClock();
  readonly arrivals: string[] = [];
  readonly queue: SchedulingQueue;
  ready = 0;

  constructor() {
    const framework = new Framework(defaultProfile, builtInPlugins, sharedContext({ clock: this.clock }));
    this.queue = new SchedulingQueue(new Map([[framework.schedulerName, framework]]), {
      clock: this.clock,
      onArrival: (place, event) => this.arrivals.push(`${place} by ${event}`),
    });
    this.queue.whenReady(() => (this.ready += 1));
  }

  add(sketch: PodSketch): void {
    this.queue.add(podOf(sketch));
  }

  popName(): string | undefined {
    return this.queue.pop()?.pod.pod.metadata.name;
  }

  /** Pops the next pod and puts it back as if this plugin had rejected it; without one, as if an error had occurred. */
  reject(plugin?: string): QueuedPod {
    const pod = this.queue.pop();
    if (pod === undefined) throw new Error('the queue is empty');
    pod.forgetRejections();
    if (plugin !== undefined) pod.unschedulablePlugins = new Set([plugin]);
    this.queue.putBack(pod);
    return pod;
  }

  [Symbol.dispose](): void {
    this.queue[Symbol.dispose]();
    expect(this.clock.pending).toBe(0);
  }
}

const gone = { old: podOf({ name: 'gone', nodeName: 'n1' }) };

describe('SchedulingQueue', () => {
  test('pops the pod of the highest priority first, and among equals the oldest', async () => {
    using fixture = new Fixture();
    fixture.add({ name: 'a' });
    fixture.add({ name: 'b' });
    await fixture.clock.advance(10);
    fixture.add({ name: 'c', priority: 10 });
    fixture.add({ name: 'd', priority: -1 });
    expect([1, 2, 3, 4, 5].map(() => fixture.popName())).toEqual(['c', 'a', 'b', 'd', undefined]);
  });

  test('keeps a rejected pod until an event that interests the plugin which rejected it', () => {
    using fixture = new Fixture();
    fixture.add({ requests: { cpu: '1' } });
    fixture.reject('NodeResourcesFit');
    expect(fixture.queue.isReady).toBe(false);

    const add = { resource: 'Node', action: 'Add' } as const;
    fixture.queue.moveAll(add, { now: nodeOf({ allocatable: { cpu: '500m', pods: '10' } }) }); // too small
    expect(fixture.queue.placeOf('default/pod')).toBe('unschedulable');
    fixture.queue.moveAll({ resource: 'Node', action: 'UpdateNodeLabel' }, { old: nodeOf(), now: nodeOf() });
    expect(fixture.queue.placeOf('default/pod')).toBe('unschedulable');
    fixture.queue.moveAll(add, { now: nodeOf() });
    expect(fixture.queue.placeOf('default/pod')).toBe('backoff');
  });

  test('makes a pod wait for its back-off while there is other work, and cuts it short when there is none', () => {
    using fixture = new Fixture();
    fixture.add({ name: 'rejected', priority: 100 });
    fixture.reject('NodeResourcesFit');
    fixture.queue.moveAll(assignedPodDelete, gone);
    fixture.add({ name: 'other' });
    expect(fixture.queue.counts).toEqual({ active: 1, backoff: 1, unschedulable: 0, gated: 0 });
    expect([fixture.popName(), fixture.popName()]).toEqual(['other', 'rejected']);
  });

  test('backs off from 1 s, twice as long every time, up to 10 s', async () => {
    using fixture = new Fixture();
    fixture.add({});
    const waits: number[] = [];
    for (let round = 0; round < 6; round++) {
      fixture.reject(); // an error: its back-off is not cut short
      const startMs = fixture.clock.now();
      while (!fixture.queue.isReady) await fixture.clock.advance(1000);
      waits.push(fixture.clock.now() - startMs);
    }
    // ends are rounded to whole seconds, and pods wait for the window to be over
    expect(waits).toEqual([2000, 3000, 5000, 9000, 11_000, 11_000]);
  });

  test('starts again from 1 s after errors have ended', async () => {
    using fixture = new Fixture();
    fixture.add({});
    for (let round = 0; round < 3; round++) {
      fixture.reject();
      await fixture.clock.advance(20_000);
    }
    const pod = fixture.reject('NodeResourcesFit');
    expect([pod.errorsInRow, pod.rejections, pod.attempts]).toEqual([0, 1, 4]);
  });

  test('retries a pod after it has waited for five minutes', async () => {
    using fixture = new Fixture();
    fixture.add({});
    fixture.reject('NodeResourcesFit');
    await fixture.clock.advance('5m');
    expect(fixture.queue.isReady).toBe(false);
    await fixture.clock.advance('30s');
    expect(fixture.queue.placeOf('default/pod')).toBe('active');
    expect(fixture.arrivals.at(-1)).toBe('active by UnschedulableTimeout');
    expect(fixture.queue.pop()?.wasFlushed).toBe(true);
  });

  test('sets no timer when no pod waits for time', async () => {
    using fixture = new Fixture();
    fixture.add({});
    fixture.reject('NodeResourcesFit');
    fixture.queue.delete(podOf());
    await fixture.clock.advance('1m');
    expect(fixture.clock.pending).toBe(0);
  });

  test('keeps a pod out until its last scheduling gate is removed', () => {
    using fixture = new Fixture();
    const gated = podOf({ schedulingGates: [{ name: 'a' }, { name: 'b' }] });
    const lessGated = podOf({ schedulingGates: [{ name: 'b' }] });
    fixture.queue.add(gated);
    expect(fixture.queue.counts).toEqual({ active: 0, backoff: 0, unschedulable: 0, gated: 1 });

    fixture.queue.update(gated, lessGated);
    fixture.queue.moveAll(assignedPodDelete, gone);
    expect(fixture.queue.isReady).toBe(false);

    fixture.queue.update(lessGated, podOf());
    expect(fixture.queue.counts).toEqual({ active: 1, backoff: 0, unschedulable: 0, gated: 0 });
  });

  test('leaves gated pods alone when time passes', async () => {
    using fixture = new Fixture();
    fixture.queue.add(podOf({ schedulingGates: [{ name: 'a' }] }));
    await fixture.clock.advance('1h');
    expect(fixture.queue.isReady).toBe(false);
  });

  test('retries a pod when its own update helps, with its new version', () => {
    using fixture = new Fixture();
    const pod = podOf({});
    const tolerant = podOf({ tolerations: [{ operator: 'Exists' }] });
    fixture.queue.add(pod);
    fixture.reject('TaintToleration');
    fixture.queue.update(pod, podOf({ labels: { a: 'b' } }));
    expect(fixture.queue.placeOf('default/pod')).toBe('unschedulable');
    fixture.queue.update(podOf({ labels: { a: 'b' } }), tolerant);
    expect(fixture.queue.pop()?.pod.pod).toBe(tolerant);
  });

  test('remembers the events while a pod is in flight', () => {
    using fixture = new Fixture();
    fixture.add({ requests: { cpu: '1' } });
    const pod = fixture.queue.pop()!;
    fixture.queue.moveAll(assignedPodDelete, gone);
    pod.unschedulablePlugins = new Set(['NodeResourcesFit']);

    fixture.queue.putBack(pod);

    expect(fixture.queue.placeOf('default/pod')).toBe('backoff');
  });

  test('forgets the events before a pod was popped', () => {
    using fixture = new Fixture();
    fixture.add({ name: 'first' });
    const first = fixture.queue.pop()!;
    fixture.queue.moveAll(assignedPodDelete, gone);
    fixture.add({ name: 'second' });
    fixture.reject('NodeResourcesFit');
    expect(fixture.queue.placeOf('default/second')).toBe('unschedulable');
    fixture.queue.done(first.uid);
  });

  test('retries pending pods at once', () => {
    using fixture = new Fixture();
    fixture.add({});
    const pod = fixture.queue.pop()!;
    pod.pendingPlugins = new Set(['NodeResourcesFit']);
    fixture.queue.putBack(pod);
    fixture.queue.moveAll(assignedPodDelete, gone);
    expect(fixture.queue.placeOf('default/pod')).toBe('active');
  });

  test('calls back when a pod is ready', async () => {
    using fixture = new Fixture();
    fixture.add({});
    expect(fixture.ready).toBe(1);
    fixture.reject();
    expect(fixture.ready).toBe(1);
    await fixture.clock.advance('3s');
    expect(fixture.ready).toBe(2);
  });

  test('reorders a pod that changes while it waits', () => {
    using fixture = new Fixture();
    fixture.add({ name: 'a' });
    fixture.add({ name: 'b' });
    fixture.queue.update(podOf({ name: 'b' }), podOf({ name: 'b', priority: 5 }));
    expect([fixture.popName(), fixture.popName()]).toEqual(['b', 'a']);
  });
});
