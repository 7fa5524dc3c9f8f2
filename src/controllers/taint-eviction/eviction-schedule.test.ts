import { expect, test } from 'vitest';
import { VirtualClock } from '../../base/index.ts';
import { EvictionSchedule } from './eviction-schedule.ts';

test('pods go when their time has come, unless they are spared', async () => {
  const clock = new VirtualClock();
  const gone: string[] = [];
  const schedule = new EvictionSchedule(clock, (key) => gone.push(`${key} at ${clock.monotonic() / 1000}`));
  schedule.add('late', 60_000);
  schedule.add('spared', 20_000);
  schedule.add('early', 10_000);

  expect(schedule.cancel('spared')).toBe(true);
  expect(schedule.cancel('spared')).toBe(false);
  expect(schedule.madeAt('late')).toBe(0);
  await clock.advance('5m');

  expect(gone).toEqual(['early at 10', 'late at 60']);
  expect(schedule.madeAt('late')).toBeUndefined();
  expect(clock.pending).toBe(0);
});
