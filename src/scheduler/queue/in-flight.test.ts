import { expect, test } from 'vitest';
import { assignedPodAdd } from '../framework/cluster-event.ts';
import { InFlight } from './in-flight.ts';

test('a pod sees the events since it was popped, and none are kept after the last pod is done', () => {
  const inFlight = new InFlight();
  inFlight.record(assignedPodAdd, {});
  expect(inFlight.add('a')).toBe(true);
  expect(inFlight.add('a')).toBe(false);
  inFlight.record(assignedPodAdd, {});
  inFlight.add('b');
  inFlight.record(assignedPodAdd, {});
  expect([inFlight.eventsSince('a')?.length, inFlight.eventsSince('b')?.length]).toEqual([2, 1]);
  inFlight.done('a');
  expect([inFlight.eventsSince('a'), inFlight.eventsSince('b')?.length]).toEqual([undefined, 1]);
  inFlight.done('b');
  inFlight.add('c');
  expect(inFlight.eventsSince('c')).toEqual([]);
});

test('a pod whose attempt took longer than events are kept does not know them', () => {
  const inFlight = new InFlight();
  inFlight.add('a');
  for (let count = 0; count < 10_000; count++) inFlight.record(assignedPodAdd, {});
  expect(inFlight.eventsSince('a')?.length).toBe(10_000);
  inFlight.record(assignedPodAdd, {});
  expect(inFlight.eventsSince('a')).toBeUndefined();
});
