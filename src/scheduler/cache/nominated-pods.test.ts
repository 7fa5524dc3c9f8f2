import { expect, test } from 'vitest';
import { podInfoOf, podOf } from '../testing/objects.ts';
import { NominatedPods } from './nominated-pods.ts';

const names = (pods: NominatedPods, node: string): string[] => pods.on(node).map(({ key }) => key);

test('a pod is nominated for the node in its status or for the given one, and for only one', () => {
  const pods = new NominatedPods();
  pods.set(podInfoOf({ name: 'a', status: { nominatedNodeName: 'n1' } }));
  pods.set(podInfoOf({ name: 'b' }));
  expect([names(pods, 'n1'), pods.size]).toEqual([['default/a'], 1]);
  pods.set(podInfoOf({ name: 'a' }), 'n2');
  expect([names(pods, 'n1'), names(pods, 'n2')]).toEqual([[], ['default/a']]);
  pods.set(podInfoOf({ name: 'a' }), '');
  expect(pods.size).toBe(0);
});

test('an update without a nominated node keeps the nomination, one with a node replaces it', () => {
  const pods = new NominatedPods();
  const on = (nominatedNodeName?: string): Parameters<typeof podOf>[0] => ({
    name: 'a',
    status: { nominatedNodeName },
  });
  pods.set(podInfoOf(on()), 'n1');
  pods.update(podOf(on()), podInfoOf({ ...on(), labels: { changed: 'yes' } }));
  expect(pods.on('n1')[0]?.pod.metadata.labels).toEqual({ changed: 'yes' });
  pods.update(podOf(on()), podInfoOf(on('n2')));
  expect([names(pods, 'n1'), names(pods, 'n2')]).toEqual([[], ['default/a']]);
  pods.update(podOf(on('n2')), podInfoOf(on()));
  expect(pods.size).toBe(0);
});
