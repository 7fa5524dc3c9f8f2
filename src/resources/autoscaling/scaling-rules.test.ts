import { expect, test } from 'vitest';
import { TestApi } from '../testing/test-api.ts';

test('partial scaling rules are completed with defaults: scaling up does not wait', async () => {
  await using api = await TestApi.open();
  const { code, body } = await api.send('POST', '/apis/autoscaling/v2/namespaces/default/horizontalpodautoscalers', {
    metadata: { name: 'a' },
    spec: {
      maxReplicas: 3,
      scaleTargetRef: { kind: 'Deployment', name: 'a', apiVersion: 'apps/v1' },
      behavior: { scaleUp: { selectPolicy: 'Min' } },
    },
  });
  expect(code).toBe(201);
  expect((body as { spec?: { behavior?: unknown } }).spec?.behavior).toEqual({
    scaleUp: {
      stabilizationWindowSeconds: 0,
      selectPolicy: 'Min',
      policies: [
        { type: 'Pods', value: 4, periodSeconds: 15 },
        { type: 'Percent', value: 100, periodSeconds: 15 },
      ],
    },
    scaleDown: {
      selectPolicy: 'Max',
      policies: [{ type: 'Percent', value: 100, periodSeconds: 15 }],
    },
  });
});
