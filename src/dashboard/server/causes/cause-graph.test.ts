import { expect, test } from 'vitest';
import type { CauseNode } from '../../protocol.ts';
import { CauseGraphBuilder } from './cause-graph.ts';

const node = (id: string, second: number): CauseNode => ({
  type: 'reconcile',
  id,
  time: `2026-01-01T00:00:0${second}.000Z`,
  title: id,
  controller: 'c',
  key: id,
  why: [],
});

test('effects are followed through what was kept as a cause', () => {
  const graph = new CauseGraphBuilder();
  for (const [index, id] of ['created', 'run', 'status', 'child', 'grandchild'].entries()) graph.add(node(id, index));
  graph.link('created', 'run', 'saw');
  graph.link('run', 'status', 'wrote');
  graph.link('run', 'child', 'wrote');
  graph.link('child', 'grandchild', 'saw');
  // the status is asked about as well, and the run led to it
  const { nodes, focus } = graph.around(['created', 'status'], { depth: 5, source: 'recorded' });
  expect(nodes.map(({ id }) => id)).toEqual(['created', 'run', 'status', 'child', 'grandchild']);
  expect(focus).toBe('created');
});

test('effects end at the depth that was asked for, causes do not', () => {
  const graph = new CauseGraphBuilder();
  for (const [index, id] of ['a', 'b', 'c', 'd', 'e'].entries()) graph.add(node(id, index));
  for (const [from, to] of ['ab', 'bc', 'cd', 'de'].map((pair) => [pair[0] ?? '', pair[1] ?? ''] as const))
    graph.link(from, to, 'saw');
  expect(graph.around(['c'], { depth: 1, source: 'recorded' }).nodes.map(({ id }) => id)).toEqual(['a', 'b', 'c', 'd']);
});
