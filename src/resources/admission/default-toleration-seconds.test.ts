import { expect, test } from 'vitest';
import type { PodSpec } from '../../api/types/core/v1.d.ts';
import { TestApi } from '../testing/test-api.ts';
import { defaultTolerationSeconds } from './default-toleration-seconds.ts';

const NOT_READY = {
  key: 'node.kubernetes.io/not-ready',
  operator: 'Exists',
  effect: 'NoExecute',
  tolerationSeconds: 300,
};
const UNREACHABLE = { ...NOT_READY, key: 'node.kubernetes.io/unreachable' };

test.each([
  ['pods that say nothing leave lost nodes after 300 s', [], [NOT_READY, UNREACHABLE]],
  [
    'what a pod says of one stays',
    [{ ...NOT_READY, tolerationSeconds: 5 }],
    [{ ...NOT_READY, tolerationSeconds: 5 }, UNREACHABLE],
  ],
  [
    'to be placed on lost nodes is another matter',
    [{ ...UNREACHABLE, effect: 'NoSchedule', tolerationSeconds: undefined }],
    [{ key: UNREACHABLE.key, operator: 'Exists', effect: 'NoSchedule' }, NOT_READY, UNREACHABLE],
  ],
  ['who tolerates all stays', [{ operator: 'Exists' }], [{ operator: 'Exists' }]],
])('%s', async (_, tolerations, expected) => {
  await using api = await TestApi.open({}, () => [defaultTolerationSeconds()]);
  const spec = { containers: [{ name: 'c', image: 'i' }], tolerations };

  const { body } = await api.create({ apiVersion: 'v1', kind: 'Pod', metadata: { name: 'p' }, spec });

  expect((body['spec'] as PodSpec).tolerations).toEqual(expected);
});

test('another time can be configured for each taint', async () => {
  const tolerationSeconds = { notReady: 1, unreachable: 0 };
  await using api = await TestApi.open({}, () => [defaultTolerationSeconds({ tolerationSeconds })]);
  const spec = { containers: [{ name: 'c', image: 'i' }] };

  const { body } = await api.create({ apiVersion: 'v1', kind: 'Pod', metadata: { name: 'p' }, spec });

  expect((body['spec'] as PodSpec).tolerations?.map((each) => each.tolerationSeconds)).toEqual([1, 0]);
});
