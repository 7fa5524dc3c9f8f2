import { expect, test } from 'vitest';
import { z } from 'zod';
import { resource } from '../../kit/index.ts';
import { mutate, startServer } from '../testing/policy-cluster.ts';

const JSON_PATCH = 'JSONPatch' as const;

test('policies mutate in the order of their names, and reinvocable ones again when others changed the object', async () => {
  await using cluster = await startServer();
  const append = (letter: string): { patchType: typeof JSON_PATCH; jsonPatch: { expression: string } }[] => [
    {
      patchType: JSON_PATCH,
      jsonPatch: { expression: `[JSONPatch{op: 'add', path: '/data/k', value: object.data.k + '${letter}'}]` },
    },
  ];
  await mutate(cluster.client, 'b', { mutations: append('b') });
  await mutate(cluster.client, 'a', { mutations: append('a'), reinvocationPolicy: 'IfNeeded' });
  const maps = cluster.client.core.v1.configmaps.namespace('default');
  expect((await maps.create({ metadata: { name: 'x' }, data: { k: '-' } })).data).toEqual({ k: '-aba' });
  expect(cluster.problems).toEqual([]);
});

const Widget = resource('widgets.example.dev/v1', 'Widget', {
  spec: z.object({ size: z.int().max(9).default(1), color: z.string().optional() }),
});

test('custom kinds are merged, defaulted and validated by their schema', async () => {
  await using cluster = await startServer({ resources: [Widget] });
  const rule = { apiGroups: ['widgets.example.dev'], apiVersions: ['v1'], resources: ['widgets'] };
  await mutate(cluster.client, 'p', {
    matchConstraints: { resourceRules: [{ ...rule, operations: ['CREATE'] }] },
    mutations: [
      {
        patchType: 'ApplyConfiguration',
        applyConfiguration: { expression: "Object{spec: Object.spec{color: 'red', size: object.spec.size * 2}}" },
      },
    ],
  });
  const widgets = cluster.client.kind(Widget).namespace('default');
  expect((await widgets.create({ metadata: { name: 'a' }, spec: {} })).spec).toEqual({ size: 2, color: 'red' });
  await expect(widgets.create({ metadata: { name: 'b' }, spec: { size: 5 } })).rejects.toMatchObject({
    reason: 'Invalid',
    status: { details: { causes: [{ field: 'spec.size' }] } },
  });
  expect(cluster.problems).toEqual([]);
});

test('a JSON patch that adds an unknown field fails', async () => {
  await using cluster = await startServer();
  const expression = "[JSONPatch{op: 'add', path: '/colour', value: 'red'}]";
  await mutate(cluster.client, 'p', { mutations: [{ patchType: JSON_PATCH, jsonPatch: { expression } }] });
  const maps = cluster.client.core.v1.configmaps.namespace('default');
  await expect(maps.create({ metadata: { name: 'x' } })).rejects.toMatchObject({
    reason: 'InternalError',
    message: expect.stringContaining('strict decoding error: unknown field "colour"'),
  });
});
