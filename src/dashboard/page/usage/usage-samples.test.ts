import { expect, test } from 'vitest';
import { sampleOf, UsageSamples } from './usage-samples.ts';

test('containers of a pod are added up, and nodes have one usage', () => {
  const timestamp = '2026-01-01T00:00:00Z';
  const containers = [{ usage: { cpu: '250m', memory: '1Mi' } }, { usage: { cpu: '1', memory: '1Ki' } }];
  const time = Date.parse(timestamp);
  expect(sampleOf({ timestamp, containers })).toEqual({ time, cpu: 1.25, memory: 2 ** 20 + 2 ** 10 });
  expect(sampleOf({ timestamp, usage: { cpu: '2', memory: '1Gi' } })).toEqual({ time, cpu: 2, memory: 2 ** 30 });
  expect(sampleOf({})).toBeUndefined();
});

test('the same measurement is kept once, and the objects that were looked at last', () => {
  const samples = new UsageSamples();
  const at = (time: number) => ({ time, cpu: 1, memory: 1 });
  samples.add('a', at(1));
  expect(samples.add('a', at(1))).toHaveLength(1);
  expect(samples.add('a', at(2))).toHaveLength(2);
  for (let index = 0; index < 50; index++) samples.add(`other-${index}`, at(1));
  expect(samples.of('a')).toEqual([]);
  expect(samples.of('other-49')).toHaveLength(1);
});
