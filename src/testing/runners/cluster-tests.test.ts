import { afterAll, describe, expect, test } from 'vitest';
import type { KubernetesVersion } from '../../base/index.ts';
import { testCluster } from '../index.ts';
import { endHookOf } from './runner-hooks.ts';

const bare = { controllers: false, scheduler: false, nodes: 0 } as const;

const clusterTest = testCluster(
  {
    ...bare,
    setup: async ({ client }) =>
      void (await client.core.v1.configmaps.namespace('default').create({ metadata: { name: 'shared' } })),
  },
  { afterAll },
);

describe('tests with a cluster each', () => {
  for (const name of ['first', 'second']) {
    test(
      `the ${name} has the objects of the setup, and none of other tests`,
      clusterTest(async ({ client }) => {
        const maps = client.core.v1.configmaps.namespace('default');
        await maps.create({ metadata: { name: 'own' } });
        expect((await maps.list()).items.map(({ metadata }) => metadata.name)).toEqual(['own', 'shared']);
      }),
    );
  }

  test('take given hooks, global hooks, or those of node:test', () => {
    const hook = (): undefined => undefined;
    expect(endHookOf({ after: hook }, {})).toBe(hook);
    expect(() => endHookOf({}, {})).toThrow('they have neither afterAll nor after');
    expect(() => endHookOf(undefined, { VITEST: 'true' })).toThrow(
      "Cannot find vitest's hooks: pass them, as in testCluster(options, { afterAll })",
    );
    expect(endHookOf(undefined, {})).toBe(process.getBuiltinModule('node:test').after);
  });
});

const started: KubernetesVersion[] = [];
const matrix = testCluster.each(
  undefined,
  {
    ...bare,
    setup: async ({ client }) => {
      const { minor } = (await client.request({ method: 'GET', path: '/version' })) as { readonly minor: string };
      started.push(`1.${minor}` as KubernetesVersion);
      await client.core.v1.namespaces.create({ metadata: { name: 'team' } });
    },
  },
  { afterAll },
);

describe.each(matrix)('tests on Kubernetes $kubernetesVersion', ({ kubernetesVersion, clusterTest: versionTest }) => {
  for (const name of ['first', 'second']) {
    test(
      `the ${name} has a cluster of the version, set up once`,
      versionTest(async ({ client }) => {
        await client.core.v1.namespaces.get('team');
        expect(started.filter((version) => version === kubernetesVersion)).toEqual([kubernetesVersion]);
        const pods = client.core.v1.pods.namespace('team');
        const spec = { evictionResponders: [], hostnameOverride: 'b', containers: [{ name: 'c', image: 'i' }] };
        const created = await pods.create({ metadata: { name: 'own' }, spec });
        // The field is there since 1.34, and its feature on since 1.35.
        expect('hostnameOverride' in (created.spec ?? {})).toBe(!['1.33', '1.34'].includes(kubernetesVersion));
      }),
    );
  }
});

test('testCluster.each() takes all versions, or those that it is given', () => {
  expect(matrix.map((each) => each.kubernetesVersion)).toEqual(['1.33', '1.34', '1.35', '1.36', '1.37']);
  const two = testCluster.each(['1.37', '1.34'], bare, { afterAll: () => undefined });
  expect(two.map((each) => each.kubernetesVersion)).toEqual(['1.37', '1.34']);
});
