import { expect, test } from 'vitest';
import { VirtualClock } from '../base/index.ts';
import { IdleCollector, type ProcessMemory } from './idle-collector.ts';

const MB = 1024 * 1024;

function collecting(): {
  memory: ProcessMemory & { used: number; busy: number; collections: number };
  clock: VirtualClock;
} {
  const memory = {
    used: 50 * MB,
    busy: 0,
    collections: 0,
    usedBytes: () => memory.used,
    busyness: () => memory.busy,
    collect() {
      memory.collections += 1;
      memory.used = 60 * MB;
    },
  };
  return { memory, clock: new VirtualClock() };
}

test('the garbage of a burst is collected once, after the burst', async () => {
  const { memory, clock } = collecting();
  using _collector = new IdleCollector(clock, memory);
  await clock.advance('1m');
  expect(memory.collections).toBe(0);

  memory.used = 500 * MB;
  memory.busy = 0.9;
  await clock.advance('1m');
  expect(memory.collections).toBe(0);

  memory.busy = 0.01;
  await clock.advance('1m');
  expect(memory.collections).toBe(1);
});

test('memory still in use after a burst is checked again, less and less often', async () => {
  const { memory, clock } = collecting();
  memory.collect = () => {
    memory.collections += 1;
  };
  using _collector = new IdleCollector(clock, memory);
  memory.used = 500 * MB;

  const afterEach: number[] = [];
  for (const time of ['10s', '20s', '10s', '50s', '10s', '110s', '10s'] as const) {
    await clock.advance(time);
    afterEach.push(memory.collections);
  }
  expect(afterEach).toEqual([1, 1, 2, 2, 3, 3, 4]);
});

test('nothing is checked after the end', async () => {
  const { memory, clock } = collecting();
  new IdleCollector(clock, memory)[Symbol.dispose]();
  memory.used = 500 * MB;

  await clock.advance('1m');

  expect(memory.collections).toBe(0);
});
