import { describe, expect, test } from 'vitest';
import { hasReason, jsonPatch, mergePatch } from '../client/index.ts';
import { TestCluster } from '../client/testing/test-cluster.ts';

describe('writes to one object at the same time', () => {
  test('patches without a version all succeed', async () => {
    await using cluster = await TestCluster.start();
    const maps = cluster.client().core.v1.configmaps.namespace('default');
    await maps.create({ metadata: { name: 'shared' } });

    const numbers = Array.from({ length: 50 }, (_, number) => number);
    await Promise.all(numbers.map((number) => maps.patch('shared', mergePatch({ data: { [`k${number}`]: 'x' } }))));

    expect(Object.keys((await maps.get('shared')).data ?? {})).toHaveLength(50);
  });

  test('of patches with the same version one succeeds', async () => {
    await using cluster = await TestCluster.start();
    const maps = cluster.client().core.v1.configmaps.namespace('default');
    const { metadata } = await maps.create({ metadata: { name: 'shared' }, data: {} });
    const patch = (value: string) =>
      jsonPatch([
        { op: 'replace', path: '/metadata/resourceVersion', value: metadata.resourceVersion },
        { op: 'add', path: '/data', value: { value } },
      ]);

    const results = await Promise.allSettled(['a', 'b', 'c'].map((value) => maps.patch('shared', patch(value))));

    expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    const refusals = results.flatMap((result) => (result.status === 'rejected' ? [result.reason as unknown] : []));
    expect(refusals.every((reason) => hasReason(reason, 'Conflict'))).toBe(true);
  });
});
