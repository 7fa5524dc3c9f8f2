import { expect, test } from 'vitest';
import { MetricTable } from './metric-table.ts';

const ROWS = {
  evictions: { type: 'counter', help: 'Evictions.' },
  open: { type: 'gauge', help: 'Open ones.' },
  seconds: { type: 'histogram', help: 'Time.', bounds: [1, 2] },
} as const;

test('a table has the metrics that were counted, and no others', () => {
  const table = new MetricTable(ROWS);
  expect(table.families()).toEqual([]);
  table.add('evictions', { signal: 'memory.available' });
  table.add('evictions', { signal: 'memory.available' }, 2);
  table.add('evictions', { signal: 'pid.available' });
  table.set('open', 5);
  table.set('open', 3);
  table.observe('seconds', 1.5);
  expect(table.families()).toEqual([
    {
      ...{ name: 'evictions', type: 'counter', help: 'Evictions.' },
      samples: [
        { labels: { signal: 'memory.available' }, value: 3 },
        { labels: { signal: 'pid.available' }, value: 1 },
      ],
    },
    { name: 'open', type: 'gauge', help: 'Open ones.', samples: [{ labels: {}, value: 3 }] },
    {
      ...{ name: 'seconds', type: 'histogram', help: 'Time.' },
      samples: [
        { suffix: '_bucket', labels: { le: '1' }, value: 0 },
        { suffix: '_bucket', labels: { le: '2' }, value: 1 },
        { suffix: '_bucket', labels: { le: '+Inf' }, value: 1 },
        { suffix: '_sum', labels: {}, value: 1.5 },
        { suffix: '_count', labels: {}, value: 1 },
      ],
    },
  ]);
});

test('labels that pods choose cannot fill the memory', () => {
  const table = new MetricTable(ROWS);
  for (let index = 0; index < 2000; index++) table.add('evictions', { signal: String(index) });
  expect(table.families()[0]?.samples).toHaveLength(500);
});

test('a counter is no histogram', () => {
  expect(() => new MetricTable(ROWS).observe('open', 1)).toThrow('Cannot observe "open": it is a gauge');
});
