import { expect, test } from 'vitest';
import { bestNodes, nodeScores } from './attempt-findings.ts';
import { type AttemptNote, SchedulingAttempts } from './scheduling-attempts.ts';

const attempt = (node: string): AttemptNote => ({
  timeMs: 0,
  schedulerName: 'default-scheduler',
  durationMs: 0,
  best: undefined,
  extenders: [],
  ending: { node },
});

test('remembers the most recent pods, and the most recent attempts of each', () => {
  const attempts = new SchedulingAttempts({ maxPods: 2, maxAttempts: 2 });
  for (const node of ['1', '2', '3']) attempts.add('default/a', attempt(node));
  attempts.add('default/b', attempt('4'));
  attempts.add('default/a', attempt('5'));
  attempts.add('default/c', attempt('6'));
  attempts.conclude('default/c', 'Scheduled');
  expect(attempts.of('default/a').map(({ node }) => node)).toEqual(['3', '5']);
  expect(attempts.of('default/b')).toEqual([]);
  expect(attempts.of('default/c')).toEqual([
    {
      time: '1970-01-01T00:00:00Z',
      schedulerName: 'default-scheduler',
      durationMs: 0,
      node: '6',
      rejections: [],
      scores: [],
      extenders: [],
      outcome: 'Scheduled',
    },
  ]);
});

test('lists at most five nodes, best first', () => {
  const nodes = ['a', 'b', 'c', 'd', 'e', 'f', 'g'].map((name) => ({ name }));
  const scores = new Map([
    ['X', Float64Array.of(1, 2, 3, 4, 5, 6, 7)],
    ['Y', Float64Array.of(9, 0, 0, 0, 0, 0, 0)],
    ['of other nodes', Float64Array.of(1)],
  ]);
  const found = bestNodes(nodes, scores, (plugin) => (plugin === 'Y' ? 10 : 1));
  const best = found === undefined ? [] : nodeScores(found);
  expect(best.map(({ node }) => node)).toEqual(['a', 'g', 'f', 'e', 'd']);
  expect(best[0]).toEqual({ node: 'a', total: 91, byPlugin: { X: 1, Y: 9 } });
});
