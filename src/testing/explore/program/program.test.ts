import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { explore, type ProgramScenario } from '../../index.ts';

const FETCH = join(import.meta.dirname, '..', '..', '..', '..', 'test', 'explore', 'programs', 'fetch');

const scenario: ProgramScenario = {
  run: [process.execPath, join(FETCH, 'operator.mjs')],
  cluster: { controllers: false, nodes: 0, scheduler: false },
  setup: (cluster) => cluster.load(join(FETCH, 'definition.yaml')),
  steps: {
    create: async ({ client }) => {
      const caches = (await client.dynamic('acme.dev/v1', 'Cache')).namespace('default');
      await caches.create({ metadata: { name: 'web' }, spec: { size: 1 } });
    },
  },
  quiet: '200ms',
  patience: '1s',
};

describe('an explored program', () => {
  test('acts as its service account, and each request that is forbidden to it is a finding', async () => {
    const { findings } = await explore({ ...scenario, serviceAccount: 'default/robot' }, { maxPlans: 1 });
    expect(findings.map(({ oracle, message }) => ({ oracle, message }))).toEqual([
      {
        oracle: 'rights',
        message: '"list caches.acme.dev default/" is forbidden to system:serviceaccount:default:robot',
      },
    ]);
  });

  test('that ends again and again is a finding, with its last words', async () => {
    const { findings } = await explore({ ...scenario, run: 'echo no cluster here; exit 3' }, { maxPlans: 1 });
    expect(findings.map(({ oracle, message }) => ({ oracle, message }))).toEqual([
      {
        oracle: 'exits',
        message: 'the process ends again and again: it ended with exit code 3: no cluster here',
      },
    ]);
  });

  test('is refused where its service account or the number of runs at a time is not one', async () => {
    await expect(explore({ ...scenario, serviceAccount: 'robot' })).rejects.toThrow('it is written NAMESPACE/NAME');
    await expect(explore({ ...scenario, parallel: 0 })).rejects.toThrow('parallel must be a whole number >= 1, got 0');
  });
});
