import { describe, expect, test } from 'vitest';
import { MetricRegistry, VirtualClock } from '../../base/index.ts';
import { ItemBackoff, strictestOf, TokenBucket } from './rate-limiter.ts';
import { WorkQueue } from './work-queue.ts';
import { WorkQueueMetrics } from './work-queue-metrics.ts';

function newQueue(): { queue: WorkQueue; clock: VirtualClock } {
  const clock = new VirtualClock();
  return { queue: new WorkQueue({ clock }), clock };
}

/** Takes all items that are available now. */
async function takeAll(queue: WorkQueue): Promise<string[]> {
  const taken: string[] = [];
  while (queue.size > 0) taken.push((await queue.take()) ?? 'nothing');
  return taken;
}

test('items are handed out once, in the order they were added', async () => {
  const { queue } = newQueue();
  for (const item of ['b', 'a', 'b', 'c', 'a']) queue.add(item);

  expect(await takeAll(queue)).toEqual(['b', 'a', 'c']);
  expect(queue.working).toBe(3);
});

test('an item in work that is added again waits until it is done', async () => {
  const { queue } = newQueue();
  queue.add('a');
  await queue.take();
  queue.add('a');
  queue.add('b');

  expect(queue.size).toBe(2);
  expect(await queue.take()).toBe('b');
  const next = queue.take();
  queue.done('a');

  expect(await next).toBe('a');
});

test('an item that was not added again is forgotten when it is done', async () => {
  const { queue } = newQueue();
  queue.add('a');
  await queue.take();
  queue.done('a');
  queue.done('a');

  expect(queue).toMatchObject({ size: 0, working: 0, delayed: 0 });
  await queue.drained();
});

test('waiting workers get items in the order they asked', async () => {
  const { queue } = newQueue();
  const both = Promise.all([queue.take(), queue.take()]);
  queue.add('a');
  queue.add('b');

  expect(await both).toEqual(['a', 'b']);
});

test('waiting can be aborted', async () => {
  const { queue } = newQueue();
  const stop = new AbortController();
  const waiting = queue.take(stop.signal);
  stop.abort(new Error('enough'));
  queue.add('a');

  await expect(waiting).rejects.toThrow('enough');
  expect(await queue.take()).toBe('a');
});

test('low-priority items come last, and are raised when they are added again', async () => {
  const { queue } = newQueue();
  queue.add('resync-1', { isLowPriority: true });
  queue.add('resync-2', { isLowPriority: true });
  queue.add('change');
  queue.add('resync-2');

  expect(await takeAll(queue)).toEqual(['change', 'resync-2', 'resync-1']);
});

test('items added several times are merged', async () => {
  interface Request {
    readonly name: string;
    readonly reasons: readonly string[];
  }
  const queue = new WorkQueue<Request>({
    clock: new VirtualClock(),
    keyOf: ({ name }) => name,
    merge: (waiting, added) => ({ ...added, reasons: [...waiting.reasons, ...added.reasons] }),
  });
  queue.add({ name: 'a', reasons: ['created'] });
  queue.add({ name: 'a', reasons: ['child changed'] });

  expect(await queue.take()).toEqual({ name: 'a', reasons: ['created', 'child changed'] });
});

test('more different items than the capacity are rejected', () => {
  const queue = new WorkQueue({ clock: new VirtualClock(), capacity: 2 });
  queue.add('a');
  queue.addAfter('b', 1000);
  queue.add('a');

  expect(() => queue.add('c')).toThrow('Cannot add "c" to the queue: it already holds 2 items');
});

describe('delays', () => {
  test('an item joins the queue when it is due', async () => {
    const { queue, clock } = newQueue();
    queue.addAfter('late', 2000);
    queue.addAfter('early', 1000);
    queue.addAfter('now', 0);
    expect(await takeAll(queue)).toEqual(['now']);

    await clock.advance('999ms');
    expect(queue).toMatchObject({ size: 0, delayed: 2 });
    await clock.advance('1ms');
    expect(await takeAll(queue)).toEqual(['early']);
    await clock.advance('1s');

    expect(await takeAll(queue)).toEqual(['late']);
    expect(clock.pending).toBe(0);
  });

  test('the earliest of several delays counts', async () => {
    const { queue, clock } = newQueue();
    queue.addAfter('a', 5000);
    queue.addAfter('a', 1000);
    queue.addAfter('a', 3000);

    await clock.advance('1s');
    expect(await takeAll(queue)).toEqual(['a']);
    queue.done('a');
    await clock.advance('10s');

    expect(queue.size).toBe(0);
  });
});

describe('rate limits', () => {
  test('an item that fails waits twice as long each time, until it is forgotten', async () => {
    const { queue, clock } = newQueue();
    const waits: number[] = [];
    for (let failure = 0; failure < 4; failure++) {
      queue.addRateLimited('a');
      const before = clock.now();
      while (queue.size === 0) await clock.advance(1);
      waits.push(clock.now() - before);
      await queue.take();
      queue.done('a');
    }
    expect(waits).toEqual([5, 10, 20, 40]);
    expect(queue.failures('a')).toBe(4);

    queue.forget('a');

    expect(queue.failures('a')).toBe(0);
  });

  test('a wait does not grow beyond maxDelay', () => {
    const limiter = new ItemBackoff({ initialDelay: 100, maxDelay: 500 });

    expect([1, 2, 3, 4, 5].map(() => limiter.nextMs('a'))).toEqual([100, 200, 400, 500, 500]);
    expect(limiter.nextMs('b')).toBe(100);
  });

  test('the bucket limits the rate of all items together', async () => {
    const clock = new VirtualClock();
    const bucket = new TokenBucket(clock, { perSecond: 10, burst: 2 });

    expect([1, 2, 3, 4].map(() => bucket.nextMs())).toEqual([0, 0, 100, 200]);
    await clock.advance('10s');
    expect([1, 2, 3].map(() => bucket.nextMs())).toEqual([0, 0, 100]);
  });

  test('the strictest of several limits counts', () => {
    const limiter = strictestOf([new ItemBackoff({ initialDelay: 5 }), new ItemBackoff({ initialDelay: 50 })]);

    expect(limiter.nextMs('a')).toBe(50);
    expect(limiter.failures('a')).toBe(1);
    limiter.forget('a');
    expect(limiter.failures('a')).toBe(0);
  });
});

describe('shutting down', () => {
  test('waiting items are still handed out, then workers end; delayed and later items are dropped', async () => {
    const { queue, clock } = newQueue();
    queue.add('a');
    queue.add('b');
    queue.addAfter('later', 1000);

    queue.shutDown();
    queue.add('c');

    expect(await queue.take()).toBe('a');
    expect(await queue.take()).toBe('b');
    expect(await queue.take()).toBeUndefined();
    expect(clock.pending).toBe(0);
    expect(queue.isShutDown).toBe(true);
  });

  test('waiting workers end', async () => {
    const { queue } = newQueue();
    const waiting = Promise.all([queue.take(), queue.take()]);

    queue.shutDown();

    expect(await waiting).toEqual([undefined, undefined]);
  });

  test('an item added while in work is still handed out', async () => {
    const { queue } = newQueue();
    queue.add('a');
    await queue.take();
    queue.add('a');
    queue.shutDown();
    let isDrained = false;
    const drained = queue.drained().then(() => (isDrained = true));

    queue.done('a');
    expect(await queue.take()).toBe('a');
    expect(isDrained).toBe(false);
    queue.done('a');

    await drained;
    expect(await queue.take()).toBeUndefined();
  });
});

test('metrics have the names and meaning of those of Kubernetes', async () => {
  const registry = new MetricRegistry();
  const metrics = new WorkQueueMetrics(registry);
  const clock = new VirtualClock();
  const queue = new WorkQueue({ clock, metrics: metrics.queue('pods') });
  queue.add('a');
  queue.add('b');
  await clock.advance('2s');
  await queue.take();
  await clock.advance('3s');
  queue.addRateLimited('c');

  const lines = registry.expose().split('\n');

  expect(lines).toEqual(
    expect.arrayContaining([
      'workqueue_depth{name="pods"} 1',
      'workqueue_adds_total{name="pods"} 2',
      'workqueue_retries_total{name="pods"} 1',
      'workqueue_queue_duration_seconds_sum{name="pods"} 2',
      'workqueue_unfinished_work_seconds{name="pods"} 3',
      'workqueue_longest_running_processor_seconds{name="pods"} 3',
      'workqueue_queue_duration_seconds_bucket{name="pods",le="1e-08"} 0',
    ]),
  );
});
