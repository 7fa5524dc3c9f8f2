import { expect, test } from 'vitest';
import { mergePatch } from '../../client/index.ts';
import { startWith } from '../testing/controller-cluster.ts';
import { ttlController, ttlStep } from './ttl-controller.ts';

test.each([
  [100, 0, 0],
  [101, 0, 1],
  [95, 1, 1],
  [89, 1, 0],
  [2500, 0, 4],
  [1800, 4, 4],
  [10, 4, 0],
])('%i nodes after step %i', (nodes, before, after) => {
  expect(ttlStep(nodes, before)).toBe(after);
});

test('nodes get the TTL annotation, and changes by others are reverted', async () => {
  await using cluster = await startWith(ttlController());
  const { nodes } = cluster.client.core.v1;
  await nodes.create({ metadata: { name: 'a', annotations: { 'node.alpha.kubernetes.io/ttl': 'soon' } } });
  await cluster.settle();
  const annotation = async (): Promise<string | undefined> =>
    (await nodes.get('a')).metadata.annotations?.['node.alpha.kubernetes.io/ttl'];

  expect(await annotation()).toBe('0');
  await nodes.patch('a', mergePatch({ metadata: { annotations: { 'node.alpha.kubernetes.io/ttl': '77' } } }));
  await cluster.settle();
  expect(await annotation()).toBe('0');
});

test('with more than 100 nodes the TTL is 15 seconds', async () => {
  await using cluster = await startWith(ttlController());
  const { nodes } = cluster.client.core.v1;
  for (let number = 0; number < 101; number++) await nodes.create({ metadata: { name: `n${number}` } });
  await cluster.settle();

  const { metadata } = await nodes.get('n100');
  expect(metadata.annotations).toEqual({ 'node.alpha.kubernetes.io/ttl': '15' });
});
