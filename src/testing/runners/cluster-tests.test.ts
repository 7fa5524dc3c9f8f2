import { afterAll, describe, expect, test } from 'vitest';
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
