import { expect, test } from 'vitest';
import type { CauseGraph, CauseNode } from '../../protocol.ts';
import { chainOf, layOut } from './cause-layout.ts';

const write = (id: string, second: number, program: string): CauseNode => ({
  type: 'write',
  id,
  time: `2026-01-01T00:00:0${second}.000Z`,
  title: `create ${id}`,
  verb: 'create',
  object: { group: '', resource: 'pods', name: id },
  program,
});
const edge = (from: string, to: string) => ({ from, to, type: 'saw' as const });

const graph: CauseGraph = {
  nodes: [write('b', 2, 'manager'), write('a', 1, 'kubectl'), write('c', 3, 'kubectl'), write('d', 4, 'scheduler')],
  edges: [edge('a', 'b'), edge('b', 'd'), edge('b', 'gone'), edge('c', 'd')],
  source: 'recorded',
  isCut: true,
};

test('nodes stand in order of time, in a lane for each actor', () => {
  const { nodes, lanes, edges } = layOut(graph);
  expect(nodes.map(({ node, lane, afterMs }) => [node.id, lane, afterMs])).toEqual([
    ['a', 0, 0],
    ['b', 1, 1000],
    ['c', 0, 1000],
    ['d', 2, 1000],
  ]);
  expect(lanes).toEqual(['kubectl', 'manager', 'scheduler']);
  expect(edges.length).toBe(3);
});

test('a chain has what led to a node and what it led to, but no strangers', () => {
  const { edges } = layOut(graph);
  expect([...chainOf(edges, 'b')].sort()).toEqual(['a', 'b', 'd']);
  expect([...chainOf(edges, 'd')].sort()).toEqual(['a', 'b', 'c', 'd']);
  expect([...chainOf(edges, 'a')].sort()).toEqual(['a', 'b', 'd']);
});

test('nodes of one moment stand below what led to them', () => {
  const nodes = ['child', 'status', 'created'].map((id) => write(id, 1, 'one'));
  const { nodes: placed } = layOut({
    nodes,
    edges: [edge('created', 'status'), edge('status', 'child')],
    source: 'recorded',
    isCut: false,
  });
  expect(placed.map(({ node }) => node.id)).toEqual(['created', 'status', 'child']);
});
