import { expect, test } from 'vitest';
import { MERGE_PATCH, TestApi } from '../testing/test-api.ts';
import { taintNodesByCondition } from './taint-nodes-by-condition.ts';

const NOT_READY = { key: 'node.kubernetes.io/not-ready', effect: 'NoSchedule' };

test('a new node gets no pods until its taint is removed', async () => {
  await using api = await TestApi.open({}, () => [taintNodesByCondition()]);
  const own = { key: 'k', effect: 'NoExecute' };

  const created = await api.create({
    apiVersion: 'v1',
    kind: 'Node',
    metadata: { name: 'n' },
    spec: { taints: [own], unschedulable: true },
  });
  const changed = await api.send('PATCH', '/api/v1/nodes/n', { spec: { taints: [own] } }, MERGE_PATCH);

  expect(created.body['spec']).toEqual({ unschedulable: true, taints: [own, NOT_READY] });
  expect(changed.body['spec']).toEqual({ unschedulable: true, taints: [own] });
});

test('a node that already has the taint does not get it twice', async () => {
  await using api = await TestApi.open({}, () => [taintNodesByCondition()]);
  const spec = { taints: [{ ...NOT_READY, value: 'yet' }] };

  const { body } = await api.create({ apiVersion: 'v1', kind: 'Node', metadata: { name: 'n' }, spec });

  expect(body['spec']).toEqual(spec);
});
